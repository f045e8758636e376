/** Runs a transaction again that the database ended because it and others waited for each other in a circle. */
import { SqlError } from "@effect/sql"
import { Cause, Chunk, Effect, Option, Predicate } from "effect"
import { Counter } from "prom-client"

/** The code of PostgreSQL for the transaction that it ends, so that the others go on. */
const deadlockDetected = "40P01"

/** At each try, the other transactions have gone on. */
const tries = 10

const repeated = new Counter({
  name: "belltower_database_deadlocks_total",
  help: "Transactions that the database ended because they waited for each other in a circle, and that were run again"
})

const isDeadlock = (error: unknown): boolean =>
  error instanceof SqlError.SqlError && Predicate.hasProperty(error.cause, "code") && error.cause.code === deadlockDetected

const endedByDeadlock = (cause: Cause.Cause<unknown>): boolean =>
  Chunk.some(Cause.failures(cause), isDeadlock) || Chunk.some(Cause.defects(cause), isDeadlock)

/** The outermost transaction only: nothing of it remains, so all of it runs again. */
export const againAfterDeadlock = <A, E, R>(transaction: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const attempt = (left: number): Effect.Effect<A, E, R> =>
    Effect.catchSomeCause(transaction, (cause) => {
      if (left === 0 || !endedByDeadlock(cause)) return Option.none()
      repeated.inc()
      return Option.some(attempt(left - 1))
    })
  return attempt(tries)
}
