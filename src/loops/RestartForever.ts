/** Restarts a background loop whenever it exits; logs and counts each restart. */
import { Cause, type Duration, Effect, Exit, Schedule } from "effect"
import { Counter } from "prom-client"
import { reasonOf } from "./Outage.ts"
import { retryForever } from "./RetryForever.ts"
import { sharingWakes } from "./SharedWakes.ts"
import { inTurnsOf } from "./TurnMeter.ts"
import { inBackground } from "./WorkPriority.ts"

const restarts = new Counter({
  name: "belltower_loop_restarts_total",
  help: "Restarts of background loops that exited",
  labelNames: ["loop"]
})

/** From 0.1 s, doubling, to one restart every 10 s; starts over after a minute without an exit. */
const pace = Schedule.exponential("100 millis").pipe(
  Schedule.union(Schedule.spaced("10 seconds")),
  Schedule.resetAfter("1 minute")
)

/** Stops only when its own fiber is interrupted. Nobody observes the death of a forked fiber, so every loop runs under this. */
export const restartForever = <E, R>(what: string, loop: Effect.Effect<unknown, E, R>): Effect.Effect<never, never, R> =>
  Effect.exit(inTurnsOf(what)(loop)).pipe(
    Effect.flatMap((exit) => Effect.fail(Exit.isSuccess(exit) ? Cause.die("it returned") : exit.cause)),
    Effect.tapError((cause) => {
      restarts.inc({ loop: what })
      return Effect.zipRight(
        Effect.logError(`${what} stopped; restarting: ${reasonOf(Cause.squash(cause))}`),
        Effect.logDebug(what, cause)
      )
    }),
    Effect.retry(pace),
    Effect.orDie,
    inBackground
  )

/**
 * Repeats work with a pause of `every` after each run, which may end up to 0.9 s later to share a wake-up. A run that fails is retried
 * with a backoff of at most 5 s.
 */
export const repeatForever = <A, E>(
  what: string,
  every: Duration.DurationInput,
  work: Effect.Effect<A, E>
): Effect.Effect<never> =>
  sharingWakes(restartForever(what, Effect.forever(Effect.zipLeft(retryForever(what, work), Effect.sleep(every)))))
