/** Many monitors go down together: their changes of state share transactions, and none waits or fails for another's sake. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { Incident } from "../../../schema/incident/Incident.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { Incidents } from "../../../src/store/incident/Incidents.ts"
import type { MonitorWithState } from "../../../src/store/monitor/Monitors.ts"
import { lockWorkspace } from "../../support/database/LockedWorkspace.ts"
import { monitorRow, newWorkspace, resultOf, TestRunner } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

const population = 60

const encodeIncident = Schema.encodeSync(Incident)

/** Monitors of a workspace that the last check saw up. */
const setUp = Effect.gen(function*() {
  const { id: workspaceId } = yield* newWorkspace
  const manage = yield* ManageMonitors
  const rows = yield* Effect.replicateEffect(
    Effect.flatMap(
      manage.create(workspaceId, { name: "Shop", url: "https://shop.test/", failureThreshold: 1 }),
      ({ id }) => monitorRow(workspaceId, id)
    ),
    population
  )
  yield* report(rows, 1)
  yield* reach(rows, "up")
  return { workspaceId, rows }
})

const report = (rows: ReadonlyArray<MonitorWithState>, slot: number, more: Partial<CheckResult> = {}) =>
  Effect.flatMap(Bus, (bus) => bus.report(rows.map((row) => resultOf(row, slot, more))))

const inState = (rows: ReadonlyArray<MonitorWithState>, state: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql`select 1 from monitor_states where monitor_id = any(${rows.map(({ id }) => id)}::text[]) and state = ${state}`,
      ({ length }) => length
    ))

const reach = (rows: ReadonlyArray<MonitorWithState>, state: string) =>
  until(inState(rows, state), (count) => count === rows.length)

const eventsOf = (workspaceId: WorkspaceId, type: "monitor.down" | "incident.created" | "incident.resolved") =>
  Effect.flatMap(EventLog, (log) => log.after(workspaceId, "", [type], 1000))

layer(TestRunner, { excludeTestServices: true })((it) => {
  it.effect(
    "a storm needs few transactions, and each monitor has its incident, its events and its span once",
    () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { rows, workspaceId } = yield* setUp
        yield* report(rows, 2, { outcome: "down", error: "The connection was refused", cause: "connect_refused" })
        yield* reach(rows, "down")
        const [{ transactions } = { transactions: 0 }] = yield* sql<{ readonly transactions: number }>`
        select count(distinct xmin::text)::int as transactions from events
        where workspace_id = ${workspaceId} and type = 'monitor.down'`
        expect(transactions).toBeLessThan(population / 4)

        expect(yield* eventsOf(workspaceId, "monitor.down")).toHaveLength(population)
        const incidents = yield* Incidents
        for (const { data } of yield* eventsOf(workspaceId, "incident.created")) {
          const recorded = yield* Schema.decodeUnknown(Schema.Struct({ incident: Incident }))(data)
          // What the event says is what the rows say.
          const found = yield* incidents.find(workspaceId, recorded.incident.id, () => recorded.incident.url)
          expect(encodeIncident(recorded.incident)).toEqual(encodeIncident(Option.getOrThrow(found)))
        }
        const spans = yield* sql<{ readonly state: string; readonly open: boolean }>`
        select state, ended_at is null as open from monitor_spans where monitor_id = ${rows[0]?.id ?? ""} order by started_at`
        expect(spans.filter(({ open }) => open)).toEqual([{ state: "down", open: true }])

        yield* report(rows, 3)
        yield* reach(rows, "up")
        expect(yield* eventsOf(workspaceId, "incident.resolved")).toHaveLength(population)
      }),
    60_000
  )

  it.effect(
    "a workspace that somebody has locked delays nobody else's monitors, and loses nothing",
    () =>
      Effect.gen(function*() {
        const [locked, other] = [yield* setUp, yield* setUp]
        const unlock = yield* lockWorkspace(locked.workspaceId)
        yield* report(locked.rows.flatMap((row, index) => [row, ...other.rows.slice(index, index + 1)]), 2, { outcome: "down" })
        yield* reach(other.rows, "down")
        expect(yield* inState(locked.rows, "down")).toBe(0)
        yield* unlock
        yield* reach(locked.rows, "down")
        expect(yield* eventsOf(locked.workspaceId, "monitor.down")).toHaveLength(population)
      }),
    60_000
  )

  it.effect("a monitor whose change cannot be written fails alone, and is decided once it can be", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { rows, workspaceId } = yield* setUp
      const [broken, ...sound] = rows
      if (broken === undefined) return
      yield* sql`
        create function refuse_incident() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`
      yield* sql.unsafe(`
        create trigger refuse_incident before insert on incidents
        for each row when (new.monitor_id = '${broken.id}') execute function refuse_incident()`)
      yield* report(rows, 2, { outcome: "down" })
      yield* reach(sound, "down")
      expect(yield* inState([broken], "up")).toBe(1)
      yield* sql`drop trigger refuse_incident on incidents`
      yield* reach([broken], "down")
      expect(yield* eventsOf(workspaceId, "monitor.down")).toHaveLength(population)
    }), 60_000)
})
