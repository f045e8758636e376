/** A monitor whose actor waits, for example for a locked row, holds up its own results and nobody else's. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import type { MonitorWithState } from "../../../src/store/monitor/Monitors.ts"
import { lockWorkspace } from "../../support/LockedWorkspace.ts"
import { monitorRow, newWorkspace, resultOf, TestRunner } from "../../support/TestRunner.ts"
import { until } from "../../support/Until.ts"

const population = 4
/** Each is a batch of its own, with results of both workspaces. */
const rounds = 20

const report = (rows: ReadonlyArray<MonitorWithState>, slot: number, outcome: CheckResult["outcome"]) =>
  Effect.flatMap(Bus, (bus) => bus.report(rows.map((row) => resultOf(row, slot, { outcome }))))

const reach = (rows: ReadonlyArray<MonitorWithState>, state: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    until(
      sql`select 1 from monitor_states where monitor_id = any(${rows.map(({ id }) => id)}::text[]) and state = ${state}`,
      ({ length }) => length === rows.length,
      "20 seconds"
    ))

const setUp = Effect.gen(function*() {
  const { id: workspaceId } = yield* newWorkspace
  const manage = yield* ManageMonitors
  const input = { name: "Shop", url: "https://shop.test/", failureThreshold: 1, recoveryThreshold: 1 }
  const rows = yield* Effect.replicateEffect(
    Effect.flatMap(manage.create(workspaceId, input), ({ id }) => monitorRow(workspaceId, id)),
    population
  )
  yield* report(rows, 1, "up")
  yield* reach(rows, "up")
  return { workspaceId, rows }
})

layer(TestRunner, { excludeTestServices: true })((it) => {
  it.effect(
    "the results of a locked workspace hold up no later results of others, and all of them count once it is free",
    () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const [locked, other] = [yield* setUp, yield* setUp]
        const unlock = yield* lockWorkspace(locked.workspaceId)
        for (let slot = 2; slot < 2 + rounds; slot++) {
          const outcome = slot % 2 === 0 ? "down" : "up"
          yield* report(locked.rows, slot, "down")
          yield* report(other.rows, slot, outcome)
          yield* reach(other.rows, outcome)
        }
        yield* reach(locked.rows, "up")
        yield* unlock
        yield* reach(locked.rows, "down")
        const counted = yield* until(
          sql<{ readonly slots: number }>`
          select count(*)::int as slots from checks
          where monitor_id = any(${locked.rows.map(({ id }) => id)}::text[]) and counted and outcome = 'down'`,
          ([row]) => (row?.slots ?? 0) >= rounds * population
        )
        expect(counted).toEqual([{ slots: rounds * population }])
      }),
    90_000
  )
})
