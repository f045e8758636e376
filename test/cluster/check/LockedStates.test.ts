/** A plan that is applied, or the deletion of a workspace, locks the rows of its monitors for long. Nobody else's results wait for it. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import type { MonitorWithState } from "../../../src/store/monitor/Monitors.ts"
import { holding } from "../../support/LockedWorkspace.ts"
import { monitorRow, newWorkspace, resultOf, TestRunner } from "../../support/TestRunner.ts"
import { until } from "../../support/Until.ts"

const report = (rows: ReadonlyArray<MonitorWithState>, slot: number, outcome: CheckResult["outcome"]) =>
  Effect.flatMap(Bus, (bus) => bus.report(rows.map((row) => resultOf(row, slot, { outcome }))))

const state = (rows: ReadonlyArray<MonitorWithState>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql<{ readonly state: string; readonly lastSlot: number }>`
    select state, (machine->>'lastSlot')::int as "lastSlot" from monitor_states
    where monitor_id = any(${rows.map(({ id }) => id)}::text[])`)

const setUp = Effect.gen(function*() {
  const { id: workspaceId } = yield* newWorkspace
  const manage = yield* ManageMonitors
  const input = { name: "Shop", url: "https://shop.test/", failureThreshold: 1, recoveryThreshold: 1 }
  const rows = yield* Effect.replicateEffect(
    Effect.flatMap(manage.create(workspaceId, input), ({ id }) => monitorRow(workspaceId, id)),
    3
  )
  yield* report(rows, 1, "up")
  yield* until(state(rows), (found) => found.every((one) => one.state === "up"))
  return { workspaceId, rows }
})

layer(TestRunner, { excludeTestServices: true })((it) => {
  it.effect(
    "while its rows are locked, results of others are stored and decided, and its own states follow afterwards",
    () =>
      Effect.gen(function*() {
        const [locked, other] = [yield* setUp, yield* setUp]
        const release = yield* holding((sql) =>
          sql`select 1 from monitor_states where workspace_id = ${locked.workspaceId} for update`
        )
        for (let slot = 2; slot < 6; slot++) {
          yield* report(locked.rows, slot, "up")
          yield* report(other.rows, slot, "up")
          // Well within the ten seconds that a statement waits for a lock.
          yield* until(state(other.rows), (found) => found.every(({ lastSlot }) => lastSlot === slot), "5 seconds")
        }
        yield* report(other.rows, 6, "down")
        yield* until(state(other.rows), (found) => found.every((one) => one.state === "down"), "5 seconds")
        expect((yield* state(locked.rows)).map(({ lastSlot }) => lastSlot)).toEqual([1, 1, 1])
        yield* release
        yield* until(state(locked.rows), (found) => found.every(({ lastSlot }) => lastSlot === 5), "5 seconds")
      }),
    60_000
  )
})
