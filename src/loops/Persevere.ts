/** Tries the same work until it succeeds. */
import { Cause, Effect, Schedule } from "effect"
import { makeOutage, reasonOf } from "./Outage.ts"

/** From 0.1 s, doubling, to one attempt every 5 s. */
export const pace = Schedule.exponential("100 millis").pipe(Schedule.union(Schedule.spaced("5 seconds")))

/** Ends early only when its own fiber is interrupted: a defect is tried again like any failure. */
export const persevere = <A, E>(what: string, work: Effect.Effect<A, E>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const outage = makeOutage(what)
    return work.pipe(
      Effect.sandbox,
      Effect.tapError((cause) =>
        Effect.zipRight(outage.failed(reasonOf(Cause.squash(cause))), Effect.logDebug(`${what} failed`, cause))
      ),
      Effect.retry(pace),
      Effect.orDie,
      Effect.tap(outage.worked)
    )
  })
