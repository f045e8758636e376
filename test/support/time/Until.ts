/** Waits for a condition that another fiber, process or connection brings about. */
import { Duration, Effect, Inspectable, Schedule } from "effect"

/** Characters of an answer in a failure. */
const longestShown = 2000

/** Made for each answer, so its text and its stack are made only when the time is up. */
class NotYet<A> {
  readonly answer: A

  constructor(answer: A) {
    this.answer = answer
  }

  /** An `Error` with a stack: Vitest takes minutes to look for one in a long line of a failure that has none. */
  after(within: Duration.DurationInput): Error {
    const text = Inspectable.toStringUnknown(this.answer).replaceAll(/\s+/g, " ").slice(0, longestShown)
    return new Error(`Not as expected within ${Duration.format(within)}: ${text}`)
  }
}

/** Between two looks of a wait that each look brings forward. */
export const constantly = Schedule.spaced("20 millis")

/** Twenty milliseconds at first, and a fifth more each time until 200: who waits for long asks seldom. */
const pauses: Schedule.Schedule<unknown> = Schedule.union(Schedule.exponential("20 millis", 1.2), Schedule.spaced("200 millis"))

/** Polls until an answer matches. Fails with the last answer or failure when the time is up. */
export const until = <A, E, R>(
  ask: Effect.Effect<A, E, R>,
  fits: (answer: A) => boolean,
  within: Duration.DurationInput = "60 seconds",
  between: Schedule.Schedule<unknown> = pauses
) =>
  ask.pipe(
    Effect.filterOrFail(fits, (answer) => new NotYet(answer)),
    Effect.retry(between.pipe(Schedule.upTo(within))),
    Effect.mapError((error) => error instanceof NotYet ? error.after(within) : error)
  )
