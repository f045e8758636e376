/** Runs a transaction again that the database ended because it and others waited for each other in a circle. */
import { Effect, Option } from "effect"
import { Counter } from "prom-client"
import { causeHas, isDeadlock } from "./PostgresErrors.ts"

/** At each try, the other transactions have gone on. */
const tries = 10

const repeated = new Counter({
  name: "belltower_database_deadlocks_total",
  help: "Transactions that the database ended because they waited for each other in a circle, and that were run again"
})

/** The outermost transaction only: nothing of it remains, so all of it runs again. */
export const againAfterDeadlock = <A, E, R>(transaction: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const attempt = (left: number): Effect.Effect<A, E, R> =>
    Effect.catchSomeCause(transaction, (cause) => {
      if (left === 0 || !causeHas(cause, isDeadlock)) return Option.none()
      repeated.inc()
      return Option.some(attempt(left - 1))
    })
  return attempt(tries)
}
