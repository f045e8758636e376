/** Deletes expired rows once an hour. */
import { DateTime, type Duration, Effect } from "effect"
import { restartForever } from "../loops/RestartForever.ts"

/** Runs `sweep` hourly until the scope closes. A failure is logged and retried an hour later. */
export const sweepHourly = <E, R>(what: string, sweep: Effect.Effect<unknown, E, R>) =>
  sweep.pipe(
    Effect.catchAllCause((cause) => Effect.logWarning(`${what} could not be deleted; retrying in 1 hour`, cause)),
    Effect.zipRight(Effect.sleep("1 hour")),
    Effect.forever,
    (loop) => restartForever(`Deletion (${what})`, loop),
    Effect.forkScoped
  )

/** Runs `sweepOne` hourly, repeatedly while it returns true. */
export const sweepHourlyInBatches = <E, R>(what: string, sweepOne: Effect.Effect<boolean, E, R>) =>
  sweepHourly(what, Effect.repeat(sweepOne, { while: (more) => more }))

/** Runs `remove` hourly with the time that lies `age` before now. */
export const sweepHourlyOlder = <E, R>(
  what: string,
  age: Duration.DurationInput,
  remove: (before: Date) => Effect.Effect<unknown, E, R>
) => sweepHourly(what, Effect.flatMap(DateTime.now, (now) => remove(DateTime.toDateUtc(DateTime.subtractDuration(now, age)))))
