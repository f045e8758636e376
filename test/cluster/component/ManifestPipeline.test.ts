/** From the result of a manifest check to the component that follows one of its keys, and the events of the change. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Clock, DateTime, Effect } from "effect"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import type { ComponentStatus } from "../../../schema/component/Component.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { phaseOf } from "../../../src/domain/check/round/CheckSlot.ts"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { Regions } from "../../../src/store/check/Regions.ts"
import { Components } from "../../../src/store/component/Components.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { monitorRow, newWorkspace, resultOf, TestRunner } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

const intervalMs = 60_000

const lastCheckOf = (monitorId: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly id: string | null }>`select last_check->>'id' as id from monitor_states where monitor_id = ${monitorId}`,
      ([found]) => found?.id
    ))

const setUp = (regions: ReadonlyArray<string> = ["main"]) =>
  Effect.gen(function*() {
    const { id: workspaceId } = yield* newWorkspace
    const known = yield* Regions
    yield* Effect.forEach(regions, (region) => Effect.flatMap(DateTime.now, (now) => known.heard(RegionId.make(region), now)))
    const page = yield* Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name: "Acme" }))
    const monitors = yield* ManageMonitors
    const { id } = yield* monitors.create(workspaceId, {
      name: "Vendor",
      kind: "manifest",
      url: "https://vendor.test/status.json",
      failureThreshold: 1,
      regions: regions.map((region) => RegionId.make(region))
    })
    const manage = yield* ManageComponents
    const made = yield* manage.create(workspaceId, page.id, { name: "API", manifest: { monitorId: id, key: "api" } })
    const row = yield* monitorRow(workspaceId, id)
    const bus = yield* Bus
    const log = yield* EventLog
    const stored = yield* Components
    const phase = phaseOf(id, intervalMs)
    const first = Math.floor(((yield* Clock.currentTimeMillis) - phase) / intervalMs)
    const check = (round: number, more: Partial<CheckResult> = {}): CheckResult =>
      resultOf(row, first + round, { at: (first + round) * intervalMs + phase + 20, ...more })
    const saying = (status: ComponentStatus, message: string | null = null) => ({
      manifest: [{ key: "x1", names: ["x1", "API"], status, message }]
    })
    return {
      workspaceId,
      row,
      made,
      monitors,
      saying,
      check,
      report: (round: number, more: Partial<CheckResult> = {}) => bus.report([check(round, more)]),
      reportAll: (results: ReadonlyArray<CheckResult>) => bus.report(results),
      component: Effect.map(stored.ofPages(workspaceId, [page.id]), ([view]) => view!),
      changes: Effect.map(log.after(workspaceId, "", ["component.status_changed"], 100), (events) =>
        events.map(({ data }) => data["to"])),
      incidents: Effect.map(log.after(workspaceId, "", ["incident.created", "incident.resolved"], 100), (events) =>
        events.map(({ type }) =>
          type
        )),
      waiting: Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.map(sql`select 1 from manifest_reports where component_id = ${made.id}`, (rows) =>
          rows.length))
    }
  })

layer(TestRunner, { excludeTestServices: true })("a component that follows a key of a manifest", (it) => {
  it.effect(
    "changes with the key after its confirmations, and reports each change and its incident once",
    () =>
      Effect.gen(function*() {
        const { changes, component, incidents, made, report, saying, waiting } = yield* setUp()
        expect(made).toMatchObject({ status: "unknown", manifest: { key: "api" } })
        yield* report(0, saying("operational"))
        yield* until(changes, (seen) => seen.length === 1)
        yield* report(1, saying("major_outage", "Backlog"))
        yield* until(waiting, (rows) => rows === 0)
        expect(yield* changes).toEqual(["operational"])
        yield* report(2, saying("major_outage", "Backlog of 9"))
        yield* until(component, ({ status }) => status === "major_outage")
        expect((yield* component).statusMessage).toBe("Backlog of 9")
        yield* report(3, saying("operational"))
        yield* until(incidents, (seen) => seen.length === 2)
        expect(yield* changes).toEqual(["operational", "major_outage", "operational"])
        expect(yield* incidents).toEqual(["incident.created", "incident.resolved"])
      })
  )

  it.effect("takes results that several regions report or the bus delivers again as one", () =>
    Effect.gen(function*() {
      const { changes, check, report, reportAll, row, saying, waiting } = yield* setUp(["main", "eu"])
      const both = (round: number, status: ComponentStatus) =>
        ["main", "eu"].map((region) => check(round, { ...saying(status), region: RegionId.make(region) }))
      yield* reportAll(both(0, "operational"))
      yield* until(changes, (seen) => seen.length === 1)
      const bad = both(1, "major_outage")
      yield* reportAll([...bad, ...bad])
      yield* reportAll(bad)
      const good = both(2, "operational")
      const last = good.at(-1)
      yield* reportAll(good)
      yield* until(lastCheckOf(row.id), (id) => id === last?.checkId)
      yield* until(waiting, (rows) => rows === 0)
      expect(yield* changes).toEqual(["operational"])
      yield* report(3, { ...saying("major_outage"), trusted: false })
      yield* reportAll(both(4, "major_outage"))
      yield* reportAll(both(5, "major_outage"))
      yield* until(changes, (seen) => seen.length === 2)
      expect(yield* changes).toEqual(["operational", "major_outage"])
    }))

  it.effect(
    "is unknown while the manifest cannot be read, lacks the key, or its monitor is deleted",
    () =>
      Effect.gen(function*() {
        const { changes, monitors, report, row, saying, workspaceId } = yield* setUp()
        const expectLast = (status: string, count: number) =>
          until(changes, (seen) => seen.length === count && seen.at(-1) === status)
        yield* report(0, saying("operational"))
        yield* expectLast("operational", 1)
        yield* report(1, { outcome: "down", cause: "manifest", error: "The manifest is not JSON" })
        yield* expectLast("unknown", 2)
        yield* report(2, saying("operational"))
        yield* expectLast("operational", 3)
        yield* report(3, { manifest: [{ key: "mail", names: ["mail"], status: "operational", message: null }] })
        yield* expectLast("unknown", 4)
        yield* report(4, saying("operational"))
        yield* expectLast("operational", 5)
        yield* monitors.remove(workspaceId, row.id)
        yield* expectLast("unknown", 6)
      })
  )

  it.effect("keeps its history when something wakes it while no checks of its manifest arrive", () =>
    Effect.gen(function*() {
      const { changes, made, report, row, saying, workspaceId } = yield* setUp()
      const sql = yield* SqlClient.SqlClient
      yield* report(0, saying("operational"))
      yield* until(changes, (seen) => seen.length === 1)
      yield* sql`
        update component_spans set started_at = now() - interval '2 hours'
        where component_id = ${made.id} and ended_at is null`
      yield* sql`
        update component_states set push = jsonb_set(push, '{since}', to_jsonb(extract(epoch from now() - interval '2 hours') * 1000))
        where component_id = ${made.id}`
      yield* sql`
        update monitor_states set state_since = now() - interval '3 hours',
          machine = jsonb_set(machine, '{lastRoundAt}', to_jsonb(extract(epoch from now() - interval '10 minutes') * 1000))
        where monitor_id = ${row.id}`
      yield* sql`
        insert into alarms (kind, id, workspace_id, due_at) values ('component', ${made.id}, ${workspaceId}, now())
        on conflict (kind, id) do update set due_at = now()`
      yield* sql`select pg_notify('belltower_alarms', '')`
      yield* until(changes, (seen) => seen.at(-1) === "unknown")
      const spans = yield* sql<{ readonly state: string; readonly minutes: number }>`
        select state, round(extract(epoch from now() - started_at) / 60)::int as minutes from component_spans
        where component_id = ${made.id} and started_at < now() - interval '1 minute' order by started_at`
      // One interval after the last check.
      expect(spans).toEqual([{ state: "operational", minutes: 120 }, { state: "unknown", minutes: 9 }])
    }))
})
