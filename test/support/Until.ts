/** Waits for a condition that another fiber, process or connection brings about. */
import { type Duration, Effect, Inspectable, Schedule } from "effect"

/** Characters of an answer in a failure. */
const longestShown = 2000

/** Polls every 20 ms until an answer matches. Fails with the last answer or failure when the time is up. */
export const until = <A, E, R>(
  ask: Effect.Effect<A, E, R>,
  fits: (answer: A) => boolean,
  within: Duration.DurationInput = "60 seconds"
) =>
  ask.pipe(
    // Cut, because a runner shows what it fails with in every detail.
    Effect.filterOrFail(fits, (answer) => ({ unexpected: Inspectable.toStringUnknown(answer).slice(0, longestShown) })),
    Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.upTo(within)))
  )
