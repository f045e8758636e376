/** Work that is never to end: whatever ends it, it is begun again, and somebody hears of it. */
import { Cause, Effect, Exit, Schedule } from "effect"
import { Counter } from "prom-client"
import { reasonOf } from "./Outage.ts"

const begunAgain = new Counter({
  name: "belltower_loops_begun_again_total",
  help: "Work that must never end, and did: each time it was begun again",
  labelNames: ["work"]
})

/** From 0.1 s, doubling, to one beginning every 10 s; at once again for what had gone well for a minute. */
const pace = Schedule.exponential("100 millis").pipe(
  Schedule.union(Schedule.spaced("10 seconds")),
  Schedule.resetAfter("1 minute")
)

/**
 * Ends only when its own fiber is interrupted. A fiber that was forked and has died is told of to nobody: every loop that
 * a process lives by says so with this word. What can fail and be tried again by itself is to use `persevere` inside.
 */
export const unending = <E, R>(what: string, work: Effect.Effect<unknown, E, R>): Effect.Effect<never, never, R> =>
  Effect.exit(work).pipe(
    Effect.flatMap((exit) => Effect.fail(Exit.isSuccess(exit) ? Cause.die("it came to its end") : exit.cause)),
    Effect.tapError((cause) => {
      begunAgain.inc({ work: what })
      return Effect.zipRight(
        Effect.logError(`${what} has stopped and is begun again: ${reasonOf(Cause.squash(cause))}`),
        Effect.logDebug(what, cause)
      )
    }),
    Effect.retry(pace),
    Effect.orDie
  )
