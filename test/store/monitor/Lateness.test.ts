/** When many overdue monitors silence the dead man's switch, counted on a filled database. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { RegionId } from "../../../schema/check/Region.ts"
import { MonitorId } from "../../../schema/Ids.ts"
import { isStop } from "../../../src/domain/health/DeadMansSwitch.ts"
import { settleNew } from "../../../src/domain/monitor/settings/MonitorSettings.ts"
import { Monitors } from "../../../src/store/monitor/Monitors.ts"
import { OverdueMonitors } from "../../../src/store/monitor/OverdueMonitors.ts"
import { Ground, newWorkspace } from "../../support/program/TestRunner.ts"

const template = MonitorId.make("mon_00000000000000000000000000")

/** As many tenants, with as many monitors each, that are all checked on time. Removes all others. */
const fill = Effect.fn("fill")(function*(tenants: number, each: number) {
  const sql = yield* SqlClient.SqlClient
  const monitors = yield* Monitors
  yield* sql`delete from monitors`
  yield* sql`delete from assignment_outbox`
  const settings = yield* settleNew(
    { name: "Shop", url: "https://shop.test/", intervalSec: 60 },
    { channelIds: [], regions: [RegionId.make("main")] }
  )
  const ids = yield* Effect.replicateEffect(Effect.map(newWorkspace, ({ id }) => id), tenants)
  yield* monitors.insert(ids[0] ?? (yield* newWorkspace).id, template, settings)
  yield* sql`update monitors set updated_at = now() - interval '1 day'`
  yield* sql`
    insert into monitors
    select (jsonb_populate_record(m, jsonb_build_object('workspace_id', tenant.id,
      'id', 'mon_' || lpad((tenant.n * 100000 + copy.n)::text, 26, '0')))).*
    from monitors m, unnest(${ids}::text[]) with ordinality tenant(id, n), generate_series(1, ${each}::int) copy(n)`
  yield* sql`
    insert into monitor_states (monitor_id, workspace_id, version, state, state_since, machine, expected_at)
    select m.id, m.workspace_id, 1, 'up', now(), s.machine, now()
    from monitors m cross join monitor_states s
    where m.id <> ${template} and s.monitor_id = ${template}`
  yield* sql`delete from monitors where id = ${template}`
  yield* checkedAgo(ids, 0)
  return ids
})

/** The last check of all monitors of these tenants was so long ago. */
const checkedAgo = (tenants: ReadonlyArray<string>, seconds: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`
      update monitor_states s set
        machine = s.machine || jsonb_build_object('lastRoundAt', (extract(epoch from now()) - ${seconds}::float8) * 1000),
        expected_at = now() - ${seconds}::float8 * interval '1 second'
          + m.interval_sec * 2.5 * interval '1 second' + m.timeout_ms * interval '1 ms' + interval '1 minute'
      from monitors m where m.id = s.monitor_id and s.workspace_id = any(${tenants}::text[])`)

/** How it is counted when it was watched all the time. */
const look = Effect.gen(function*() {
  const overdue = yield* OverdueMonitors
  const found = yield* overdue.lateness(yield* DateTime.now, 0)
  return { ...found, isStop: isStop(found) }
})

/** A minute later than any check may be at an interval of a minute. */
const lateBy = 150 + 30 + 60 + 60

layer(Ground, { excludeTestServices: true })("Overdue monitors of tenants", (it) => {
  it.effect("are no stop if one tenant of ten has all of its 1,000 overdue, and one if everything is late for a minute", () =>
    Effect.gen(function*() {
      const ids = yield* fill(10, 1_000)
      expect(yield* look).toMatchObject({ tenants: 10, monitors: 10_000, late: 0, lateTenants: 0, isStop: false })
      yield* checkedAgo(ids.slice(0, 1), lateBy)
      expect(yield* look).toEqual({
        tenants: 10,
        monitors: 10_000,
        late: 1_000,
        lateTenants: 1,
        worst: { monitors: 1_000, late: 1_000 },
        isStop: false
      })
      yield* checkedAgo(ids, lateBy)
      expect(yield* look).toMatchObject({ late: 10_000, lateTenants: 10, isStop: true })
      // Paused monitors are not checked.
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`update monitors set paused = true where workspace_id = any(${ids})`)
      expect(yield* look).toMatchObject({ monitors: 0, late: 0, tenants: 0, isStop: false })
    }))

  it.effect("are a stop in a small installation if all five of its only tenant are, once somebody has watched for long enough", () =>
    Effect.gen(function*() {
      const ids = yield* fill(1, 5)
      expect((yield* look).isStop).toBe(false)
      yield* checkedAgo(ids, lateBy)
      expect(yield* look).toMatchObject({ late: 5, monitors: 5, isStop: true })
      const overdue = yield* OverdueMonitors
      const now = yield* DateTime.now
      expect((yield* overdue.lateness(now, DateTime.toEpochMillis(now) - 60_000)).late).toBe(0)
    }))
})
