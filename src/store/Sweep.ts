/** Deletes what is of no use any more, once an hour. */
import { Effect } from "effect"
import { restartForever } from "../loops/RestartForever.ts"

/** Sweeps for as long as the scope lives. What went wrong is logged, and tried again with the next hour. */
export const sweepHourly = <E, R>(what: string, sweep: Effect.Effect<unknown, E, R>) =>
  sweep.pipe(
    Effect.catchAllCause((cause) => Effect.logWarning(`${what} could not be deleted`, cause)),
    Effect.zipRight(Effect.sleep("1 hour")),
    Effect.forever,
    (loop) => restartForever(`Deleting: ${what}`, loop),
    Effect.forkScoped
  )

/** The same in batches, for as long as there are more. */
export const sweepHourlyInBatches = <E, R>(what: string, sweepOne: Effect.Effect<boolean, E, R>) =>
  sweepHourly(what, Effect.repeat(sweepOne, { while: (more) => more }))
