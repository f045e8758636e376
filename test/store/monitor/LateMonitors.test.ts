/** The monitors that are late, found on a filled table without a look at the others. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { RegionId } from "../../../schema/check/Region.ts"
import { MonitorId } from "../../../schema/Ids.ts"
import { expectedRound } from "../../../src/domain/monitor/ExpectedRound.ts"
import { initialMachine } from "../../../src/domain/monitor/MonitorMachine.ts"
import { settleNew } from "../../../src/domain/monitor/settings/MonitorSettings.ts"
import { Monitors } from "../../../src/store/monitor/Monitors.ts"
import { MonitorStates } from "../../../src/store/monitor/MonitorStates.ts"
import { OverdueMonitors } from "../../../src/store/monitor/OverdueMonitors.ts"
import { Ground, newWorkspace } from "../../support/program/TestRunner.ts"

const population = 20_000
const late = 15
const template = MonitorId.make("mon_00000000000000000000000000")

/** Rows of monitors that were just checked, `late` of them two hours ago. */
const fill = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const monitors = yield* Monitors
  const { id: workspaceId } = yield* newWorkspace
  const settings = yield* settleNew(
    { name: "Shop", url: "https://shop.test/" },
    { channelIds: [], regions: [RegionId.make("main")] }
  )
  yield* monitors.insert(workspaceId, template, settings)
  yield* sql`update monitors set updated_at = now() - interval '1 day'`
  yield* sql`
    insert into monitors
    select (jsonb_populate_record(m, jsonb_build_object('id', 'mon_' || lpad(n::text, 26, '0')))).*
    from monitors m, generate_series(1, ${population}::int) as n`
  yield* sql`
    insert into monitor_states (monitor_id, workspace_id, version, state, state_since, machine, expected_at)
    select m.id, m.workspace_id, 1, 'up', now(),
      s.machine || jsonb_build_object('state', 'up', 'lastRoundAt', extract(epoch from last.round) * 1000,
        'rounds', case when lateness then '[{"slot": 1, "deadline": 1000, "votes": []}]'::jsonb else '[]'::jsonb end),
      last.round + interval '220 seconds'
    from monitors m cross join monitor_states s
    cross join lateral (select m.id <= 'mon_' || lpad(${late}::text, 26, '0') as lateness) which
    cross join lateral (select case when lateness then now() - interval '2 hours' else now() end as round) last
    where m.id <> ${template} and s.monitor_id = ${template}`
  yield* sql`delete from monitors where id = ${template}`
  yield* sql`analyze monitors`
  yield* sql`analyze monitor_states`
  return { settings, workspaceId }
})

/** How many rows of monitors and of their states a query reads. The counters may still hold what ran before. */
const rowsRead = <A, E, R>(query: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const counted = Effect.map(
      sql<{ readonly rows: number }>`
        select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables
        where relname in ('monitors', 'monitor_states')`,
      ([counts]) => counts?.rows ?? 0
    )
    return sql.withTransaction(Effect.gen(function*() {
      const before = yield* counted
      const found = yield* query
      return { found, rows: (yield* counted) - before }
    }))
  })

layer(Ground, { excludeTestServices: true })((it) => {
  it.scoped("reads only what is late", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* fill
      const now = yield* DateTime.now
      const overdue = yield* OverdueMonitors
      const states = yield* MonitorStates

      const monitors = yield* rowsRead(overdue.monitors(now, null, 5_000))
      expect(monitors.found.monitors).toHaveLength(late)
      expect(monitors.found.next).toBeNull()
      expect(monitors.rows).toBeLessThan(10 * late)

      const first = yield* overdue.monitors(now, null, late - 5)
      const second = yield* rowsRead(overdue.monitors(now, first.next, late - 5))
      expect(second.rows).toBeLessThan(5 * late)
      expect(second.found.next).toBeNull()
      const swept = [...first.monitors, ...second.found.monitors].map(({ id }) => id)
      expect(swept.sort()).toEqual(monitors.found.monitors.map(({ id }) => id).sort())

      const rounds = yield* rowsRead(states.withAbandonedRounds(now.epochMillis, now.epochMillis - 90_000, 1000))
      expect(rounds.found).toHaveLength(late)
      expect(rounds.rows).toBeLessThan(10 * late)

      yield* sql`insert into regions (id, first_seen_at, last_beat_at, last_result_at)
        values ('main', now(), now(), now()), ('empty', now(), now(), null)`
      yield* sql`analyze regions`
      const regions = yield* rowsRead(Effect.flatMap(DateTime.now, overdue.regions))
      expect(regions.found).toEqual([])
      expect(regions.rows).toBeLessThan(10 * late)
      yield* sql`update regions set last_result_at = now() - interval '1 hour' where id = 'main'`
      expect((yield* overdue.regions(now)).map(({ id, monitors }) => [id, monitors])).toEqual([["main", 1000]])
    }))

  it.scoped("moves the instant at which a monitor is late in every third check at most, and never behind a check on time", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const states = yield* MonitorStates
      const { id: workspaceId } = yield* newWorkspace
      const monitors = yield* Monitors
      const settings = yield* settleNew(
        { name: "Shop", url: "https://shop.test/", intervalSec: 60 },
        { channelIds: [], regions: [RegionId.make("main")] }
      )
      const monitorId = MonitorId.make("mon_10000000000000000000000000")
      yield* monitors.insert(workspaceId, monitorId, settings)
      const start = DateTime.toEpochMillis(yield* DateTime.now) - 3_600_000
      const seen = new Set<number>()
      const checks = 24
      for (let check = 1; check <= checks; check++) {
        const at = start + check * 60_000
        const machine = { ...initialMachine(start, 1), sequence: check, lastRoundAt: at }
        const expected = expectedRound(machine, settings, start)
        yield* states.saveAll([{ workspaceId, monitorId, version: 1, machine, lastCheck: null, expected }])
        const [row] = yield* sql<
          { readonly at: Date }
        >`select expected_at as at from monitor_states where monitor_id = ${monitorId}`
        const lateAt = row?.at.getTime() ?? 0
        seen.add(lateAt)
        expect(lateAt).toBeGreaterThan(at + 60_000)
        expect(lateAt).toBeLessThanOrEqual(expected?.at ?? 0)
      }
      expect(seen.size).toBeLessThanOrEqual(checks / 3)
    }))
})
