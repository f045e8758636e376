/** Waits for a condition that another fiber, process or connection brings about. */
import { type Duration, Effect, Schedule } from "effect"

/** Polls every 20 ms until an answer matches. Fails with the last answer or failure when the time is up. */
export const until = <A, E, R>(
  ask: Effect.Effect<A, E, R>,
  fits: (answer: A) => boolean,
  within: Duration.DurationInput = "20 seconds"
) =>
  ask.pipe(
    Effect.filterOrFail(fits, (answer) => ({ unexpected: answer })),
    Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.upTo(within)))
  )
