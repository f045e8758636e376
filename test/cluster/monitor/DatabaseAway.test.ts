/** A database outage stops nothing permanently: afterwards the backlog is processed and work continues. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { register } from "prom-client"
import * as Runner from "../../../cluster/Runner.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { LocalBus } from "../../../src/bus/LocalBus.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { Monitors } from "../../../src/store/monitor/Monitors.ts"
import { severedDatabase } from "../../support/database/SeveredDatabase.ts"
import { collectingLog } from "../../support/measure/CollectingLog.ts"
import { groundOn, monitorRow, newWorkspace, resultOf } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

const restarts = Effect.map(
  Effect.promise(() => register.getSingleMetric("belltower_loop_restarts_total")!.get()),
  ({ values }) => values
)

describe("a runner whose database goes away", () => {
  it.scopedLive("loses no check, reports no false state, and recovers by itself", () =>
    Effect.gen(function*() {
      const restartsBefore = yield* restarts
      const lines: Array<string> = []
      const ears = collectingLog(lines)
      const { cut, layer, mend } = yield* severedDatabase({ maxConnections: 5 })
      const runner = Layer.mergeAll(Runner.layer, ManageMonitors.Default).pipe(
        Layer.provideMerge(groundOn(LocalBus.layer, layer))
      )

      yield* Effect.provide(
        Effect.gen(function*() {
          const { id: workspaceId } = yield* newWorkspace
          const manage = yield* ManageMonitors
          const { id } = yield* manage.create(workspaceId, { name: "Shop", url: "https://shop.test/" })
          const row = yield* monitorRow(workspaceId, id)
          const bus = yield* Bus
          const monitors = yield* Monitors
          const reaches = (state: string) =>
            until(monitors.find(workspaceId, id), Option.exists((found) => found.state === state))
          yield* bus.report([resultOf(row, 1)])
          yield* reaches("up")

          yield* cut
          yield* bus.report([2, 3].map((slot) => resultOf(row, slot, { outcome: "down", error: "No answer", cause: "timeout" })))
          yield* until(
            Effect.sync(() => lines),
            (all) => all.some((line) => line.startsWith("Publishing edits of monitors failed"))
          )
          yield* mend
          yield* reaches("down")
          const log = yield* Effect.flatMap(EventLog, (events) => events.after(workspaceId, "", null, 100))
          expect(log.map(({ type }) => type)).toEqual(["monitor.created", "monitor.down", "incident.created"])
          const sql = yield* SqlClient.SqlClient
          yield* until(sql`select 1 from checks where monitor_id = ${id} and counted`, (found) => found.length === 3)
          yield* until(sql`select 1 from events where not fanned_out`, (found) => found.length === 0)

          yield* manage.update(workspaceId, id, { paused: true })
          yield* until(
            sql`select 1 from monitor_states where monitor_id = ${id} and state = 'paused'`,
            (found) => found.length === 1
          )
        }),
        runner.pipe(Layer.provideMerge(ears))
      )
      expect(lines.filter((line) => /cannot take|^Recording \d+ check results? failed|restarting/.test(line))).toEqual([])
      expect(yield* restarts).toEqual(restartsBefore)
    }))
})
