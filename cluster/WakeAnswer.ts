/** An actor's answer to its alarm: nothing, or that another transaction locked its rows for too long. */
import { Cause, Effect, Schema } from "effect"
import { isLockNotAvailable } from "../src/store/postgres/PostgresErrors.ts"

export const WakeAnswer = Schema.Union(Schema.Literal("locked"), Schema.Void)

/** Answers for a wake that has rolled back because it waited for a lock for too long; other failures are defects. */
export const answering = <A, E, R>(wake: Effect.Effect<A, E, R>): Effect.Effect<"locked" | void, never, R> =>
  Effect.matchCauseEffect(wake, {
    onFailure: (cause) => {
      const error = Cause.squash(cause)
      return isLockNotAvailable(error) ? Effect.succeed("locked" as const) : Effect.die(error)
    },
    onSuccess: () => Effect.void
  })
