/** A workspace whose actors hang fills its own share of what waits, and the results of others are decided as ever. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { WaitingSettings } from "../../../cluster/check/WaitingRoom.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { lockWorkspace } from "../../support/database/LockedWorkspace.ts"
import { monitorRow, newWorkspace, resultOf, TestRunner } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

/** More results than a runner has open: without a share of its own, the workspace would hold all room until it is unlocked. */
const slots = 4_500
const share = 20

const newMonitor = Effect.gen(function*() {
  const { id: workspaceId } = yield* newWorkspace
  const input = { name: "Shop", url: "https://shop.test/", failureThreshold: 1, recoveryThreshold: 1 }
  const { id } = yield* Effect.flatMap(ManageMonitors, (manage) => manage.create(workspaceId, input))
  return yield* monitorRow(workspaceId, id)
})

const Hasty = TestRunner.pipe(Layer.provide(Layer.succeed(WaitingSettings, { results: share, patienceMs: 250 })))

layer(Hasty, { excludeTestServices: true })((it) => {
  it.effect(
    "a workspace whose actors hang takes no room from others, and what was given up is stored as not counted",
    () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const bus = yield* Bus
        const [hanging, other] = [yield* newMonitor, yield* newMonitor]
        const reach = (id: string, state: string) =>
          until(
            sql`select 1 from monitor_states where monitor_id = ${id} and state = ${state}`,
            ({ length }) => length === 1,
            "30 seconds"
          )
        const stored = (id: string) =>
          sql<{ readonly counted: boolean; readonly count: number }>`
          select counted, count(*)::int as count from checks where monitor_id = ${id} group by counted order by counted`

        yield* bus.report([hanging, other].map((row) => resultOf(row, 1, { outcome: "up" })))
        yield* reach(hanging.id, "up")
        yield* reach(other.id, "up")

        const unlock = yield* lockWorkspace(hanging.workspaceId)
        for (let slot = 2; slot < 2 + slots; slot += 500) {
          yield* bus.report(
            Array.from({ length: 500 }, (_, n) => resultOf(hanging, slot + n, { outcome: "down" }))
          )
        }
        yield* bus.report([resultOf(other, 2, { outcome: "down" })])
        yield* reach(other.id, "down")
        yield* until(
          stored(hanging.id),
          (rows) => rows.some(({ count, counted }) => !counted && count === slots - share),
          "30 seconds"
        )
        yield* unlock
        yield* reach(hanging.id, "down")
        expect(yield* until(stored(hanging.id), (rows) => rows.reduce((sum, { count }) => sum + count, 0) === slots + 1))
          .toEqual([{ counted: false, count: slots - share }, { counted: true, count: share + 1 }])
      }),
    90_000
  )
})
