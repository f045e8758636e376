/** Retries work until it succeeds; logs when it starts to fail and when it works again. */
import { Cause, Effect, Schedule } from "effect"
import { makeOutage, reasonOf } from "./Outage.ts"
import { retryingWith } from "./RetryingWith.ts"

/** From 0.1 s, doubling, to one attempt every 5 s. */
export const retryPace = Schedule.exponential("100 millis").pipe(Schedule.union(Schedule.spaced("5 seconds")))

/** Stops early only when its own fiber is interrupted: a defect is retried like any failure. */
export const retryForever = <A, E>(what: string, work: Effect.Effect<A, E>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const outage = makeOutage(what)
    return work.pipe(
      Effect.sandbox,
      Effect.tapError((cause) =>
        Effect.zipRight(outage.failed(reasonOf(Cause.squash(cause))), Effect.logDebug(`${what} failed`, cause))
      ),
      retryingWith(retryPace),
      Effect.orDie,
      Effect.tap(outage.worked)
    )
  })
