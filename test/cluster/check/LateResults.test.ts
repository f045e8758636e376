/** A monitor whose actor waits, for example for a locked row, holds up its own results and nobody else's. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { lockWorkspace } from "../../support/database/LockedWorkspace.ts"
import { TestRunner } from "../../support/program/TestRunner.ts"
import { reach, report, upMonitors } from "../../support/program/UpMonitors.ts"
import { until } from "../../support/time/Until.ts"

const population = 4
/** Each is a batch of its own, with results of both workspaces. */
const rounds = 20

layer(TestRunner, { excludeTestServices: true })((it) => {
  it.effect(
    "the results of a locked workspace hold up no later results of others, and all of them count once it is free",
    () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const [locked, other] = [yield* upMonitors(population), yield* upMonitors(population)]
        const unlock = yield* lockWorkspace(locked.workspaceId)
        for (let slot = 2; slot < 2 + rounds; slot++) {
          const outcome = slot % 2 === 0 ? "down" : "up"
          yield* report(locked.rows, slot, { outcome: "down" })
          yield* report(other.rows, slot, { outcome })
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
