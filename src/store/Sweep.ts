/** Deletes what is of no use any more, once an hour. */
import { Effect, Schedule } from "effect"

/** Sweeps for as long as the scope lives. What went wrong is logged, and tried again with the next hour. */
export const sweepHourly = <E, R>(what: string, sweep: Effect.Effect<unknown, E, R>) =>
  sweep.pipe(
    Effect.catchAllCause((cause) => Effect.logWarning(`${what} could not be deleted`, cause)),
    Effect.repeat(Schedule.spaced("1 hour")),
    Effect.forkScoped
  )
