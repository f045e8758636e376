/** Workspaces with several monitors that are up, fed with check results by the test. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import type { MonitorWithState } from "../../../src/store/monitor/Monitors.ts"
import { until } from "../time/Until.ts"
import { monitorRow, newWorkspace, resultOf } from "./TestRunner.ts"

/** Reports one check of each monitor, in one batch. */
export const report = (rows: ReadonlyArray<MonitorWithState>, slot: number, more: Partial<CheckResult> = {}) =>
  Effect.flatMap(Bus, (bus) => bus.report(rows.map((row) => resultOf(row, slot, more))))

/** The states of monitors as they are stored, with the slot of the last check that decided each. */
export const statesOf = (rows: ReadonlyArray<MonitorWithState>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql<{ readonly state: string; readonly lastSlot: number }>`
    select state, (machine->>'lastSlot')::int as "lastSlot" from monitor_states
    where monitor_id = any(${rows.map(({ id }) => id)}::text[])`)

/** Waits until all of the monitors are in a state. */
export const reach = (rows: ReadonlyArray<MonitorWithState>, state: string) =>
  until(statesOf(rows), (found) => found.length === rows.length && found.every((one) => one.state === state), "20 seconds")

/** A workspace with so many monitors that one check took up, and that the next one that fails takes down. */
export const upMonitors = (count: number) =>
  Effect.gen(function*() {
    const { id: workspaceId } = yield* newWorkspace
    const manage = yield* ManageMonitors
    const input = { name: "Shop", url: "https://shop.test/", failureThreshold: 1, recoveryThreshold: 1 }
    const rows = yield* Effect.replicateEffect(
      Effect.flatMap(manage.create(workspaceId, input), ({ id }) => monitorRow(workspaceId, id)),
      count
    )
    yield* report(rows, 1)
    yield* reach(rows, "up")
    return { workspaceId, rows }
  })
