/** A plan that is applied, or the deletion of a workspace, locks the rows of its monitors for long. Nobody else's results wait for it. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { holding } from "../../support/database/LockedWorkspace.ts"
import { TestRunner } from "../../support/program/TestRunner.ts"
import { report, statesOf, upMonitors } from "../../support/program/UpMonitors.ts"
import { until } from "../../support/time/Until.ts"

const population = 3

layer(TestRunner, { excludeTestServices: true })((it) => {
  it.effect(
    "while its rows are locked, results of others are stored and decided, and its own states follow afterwards",
    () =>
      Effect.gen(function*() {
        const [locked, other] = [yield* upMonitors(population), yield* upMonitors(population)]
        const release = yield* holding((sql) =>
          sql`select 1 from monitor_states where workspace_id = ${locked.workspaceId} for update`
        )
        for (let slot = 2; slot < 6; slot++) {
          yield* report(locked.rows, slot)
          yield* report(other.rows, slot)
          // Well within the ten seconds that a statement waits for a lock.
          yield* until(statesOf(other.rows), (found) => found.every(({ lastSlot }) => lastSlot === slot), "5 seconds")
        }
        yield* report(other.rows, 6, { outcome: "down" })
        yield* until(statesOf(other.rows), (found) => found.every((one) => one.state === "down"), "5 seconds")
        expect((yield* statesOf(locked.rows)).map(({ lastSlot }) => lastSlot)).toEqual([1, 1, 1])
        yield* release
        yield* until(statesOf(locked.rows), (found) => found.every(({ lastSlot }) => lastSlot === 5), "5 seconds")
      }),
    60_000
  )
})
