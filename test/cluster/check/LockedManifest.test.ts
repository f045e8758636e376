/** A component that somebody has locked delays what its own manifest says, and no results of others. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import type { ComponentStatus } from "../../../schema/component/Component.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { phaseOf } from "../../../src/domain/check/round/CheckSlot.ts"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { holding } from "../../support/database/LockedWorkspace.ts"
import { monitorRow, newWorkspace, resultOf, TestRunner } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

/** More results than a runner has open, and many batches. */
const slots = 4_500
const perBatch = 500
/** Shorter than three statements wait for a lock. */
const soon = "25 seconds"

const intervalMs = 60_000

const reach = (id: string, state: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    until(
      sql`select 1 from monitor_states where monitor_id = ${id} and state = ${state}`,
      ({ length }) => length === 1,
      soon
    ))

/** A component that follows a manifest, which says that it is operational. */
const followed = Effect.gen(function*() {
  const { id: workspaceId } = yield* newWorkspace
  const page = yield* Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name: "Acme" }))
  const monitor = yield* Effect.flatMap(
    ManageMonitors,
    (manage) => manage.create(workspaceId, { name: "Vendor", kind: "manifest", url: "https://vendor.test/status.json" })
  )
  const component = yield* Effect.flatMap(
    ManageComponents,
    (manage) => manage.create(workspaceId, page.id, { name: "API", manifest: { monitorId: monitor.id, key: "api" } })
  )
  const row = yield* monitorRow(workspaceId, monitor.id)
  const sql = yield* SqlClient.SqlClient
  const shows = (status: string) =>
    until(
      sql<{ readonly status: string }>`select status from component_states where component_id = ${component.id}`,
      ([state]) => state?.status === status
    )
  const phase = phaseOf(row.id, intervalMs)
  const first = Math.floor(((yield* Clock.currentTimeMillis) - phase) / intervalMs)
  /** The result of a round, which says that the component has a status. */
  const saying = (round: number, status: ComponentStatus): CheckResult =>
    resultOf(row, first + round, {
      at: (first + round) * intervalMs + phase + 20,
      manifest: [{ key: "api", names: ["api"], status, message: null }]
    })
  yield* Effect.flatMap(Bus, (bus) => bus.report([saying(0, "operational")]))
  yield* shows("operational")
  return { row, component, saying, shows }
})

/** Holds the alarm of a component, as its actor does while it waits for its workspace. Returns what lets go of it. */
const lockAlarm = (id: string, workspaceId: string) =>
  holding((sql) =>
    sql`
    insert into alarms (kind, id, workspace_id, due_at) values ('component', ${id}, ${workspaceId}, now() + interval '1 day')
    on conflict (kind, id) do update set due_at = excluded.due_at`
  )

layer(TestRunner, { excludeTestServices: true })((it) => {
  it.effect(
    "results of others are taken in and decided, and other manifests reach their components, while a component is locked",
    () =>
      Effect.gen(function*() {
        const bus = yield* Bus
        const [locked, free] = [yield* followed, yield* followed]
        const { id: workspaceId } = yield* newWorkspace
        const input = { name: "Shop", url: "https://shop.test/", failureThreshold: 1 }
        const { id } = yield* Effect.flatMap(ManageMonitors, (manage) => manage.create(workspaceId, input))
        const other = yield* monitorRow(workspaceId, id)
        yield* bus.report([resultOf(other, 1, { outcome: "up" })])
        yield* reach(id, "up")

        const unlock = yield* lockAlarm(locked.component.id, locked.row.workspaceId)
        for (let slot = 2; slot < 2 + slots; slot += perBatch) {
          yield* bus.report([
            locked.saying(Math.ceil(slot / perBatch), "major_outage"),
            ...Array.from({ length: perBatch }, (_, n) => resultOf(other, slot + n, { outcome: "up" }))
          ])
        }
        yield* bus.report([
          resultOf(other, 2 + slots, { outcome: "down" }),
          free.saying(1, "degraded"),
          free.saying(2, "degraded")
        ])
        yield* reach(id, "down")
        yield* Effect.timeoutFail(free.shows("degraded"), { duration: soon, onTimeout: () => "the manifest waits for another" })
        const sql = yield* SqlClient.SqlClient
        expect(yield* sql`select 1 from manifest_reports where component_id = ${locked.component.id}`).toEqual([])
        yield* unlock
        yield* locked.shows("major_outage")
      }),
    90_000
  )
})
