/** Retries that cost nothing while nothing fails. */
import { Effect, type Schedule } from "effect"

/** As `Effect.retry`, which copies all services for each attempt: the first attempt, which mostly works, goes without. */
export const retryingWith =
  <Out>(schedule: Schedule.Schedule<Out, unknown>) => <A, E, R>(attempt: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.catchAll(attempt, (error) => {
      let hasFailed = false
      const again = Effect.suspend(() => {
        if (hasFailed) return attempt
        hasFailed = true
        return Effect.fail(error)
      })
      return Effect.retry(again, schedule)
    })
