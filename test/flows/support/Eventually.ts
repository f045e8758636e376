/** Waits for a condition, with a deadline. */
import { Clock, Data, Duration, Effect, Schedule } from "effect"

class TooLate extends Data.TaggedError("TooLate")<{ readonly message: string }> {}

/** Polls until there is no complaint; returns the seconds it took. Fails with the last complaint. */
export const eventually = <E, R>(
  what: string,
  within: Duration.DurationInput,
  complaint: Effect.Effect<string | null, E, R>
): Effect.Effect<number, TooLate, R> =>
  Effect.gen(function*() {
    const from = yield* Clock.currentTimeMillis
    let last = "nothing was heard"
    yield* complaint.pipe(
      Effect.catchAllCause((cause) => Effect.succeed(String(cause))),
      Effect.tap((complained) =>
        Effect.sync(() => {
          last = complained ?? last
        })
      ),
      Effect.repeat({ until: (complained) => complained === null, schedule: Schedule.spaced("200 millis") }),
      Effect.timeoutFail({
        duration: within,
        onTimeout: () => new TooLate({ message: `${what} within ${Duration.format(within)}: ${last}` })
      })
    )
    return Math.round(((yield* Clock.currentTimeMillis) - from) / 100) / 10
  })
