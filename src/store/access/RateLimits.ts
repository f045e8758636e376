/** Counts calls in fixed windows, shared by all processes. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { Clock, DateTime, Duration, Effect, Schema } from "effect"
import { RateLimited } from "../../../schema/Errors.ts"
import { sweepHourly } from "../Sweep.ts"

export interface RateLimit {
  /** The name of the limited action, such as `bootstrap`. */
  readonly name: string
  /** The number of calls allowed in a window. */
  readonly limit: number
  /** The length of a window. Windows begin at multiples of it since 1970, so an hour is a clock hour. */
  readonly window: Duration.DurationInput
  /** What the limit is, for callers above it. */
  readonly message?: string
}

/** In the largest unit that is not too coarse to plan a retry by. */
const inWords = (seconds: number): string =>
  seconds < 120
    ? `${seconds} s`
    : seconds < 7_200
    ? `${Math.ceil(seconds / 60)} minutes`
    : `${Math.ceil(seconds / 3_600)} hours`

export class RateLimits extends Effect.Service<RateLimits>()("belltower/RateLimits", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const count = SqlSchema.single({
      Request: Schema.Struct({ key: Schema.String, windowStart: Schema.DateFromSelf }),
      Result: Schema.Struct({ count: Schema.Int }),
      execute: ({ key, windowStart }) =>
        sql`
        insert into rate_limits (key, window_start, count) values (${key}, ${windowStart}, 1)
        on conflict (key, window_start) do update set count = rate_limits.count + 1
        returning count`
    })

    /** Counts one call of `subject`. Above the limit, fails with the seconds left in the window. */
    const take = Effect.fn("RateLimits.take")(function*(rate: RateLimit, subject: string) {
      const now = yield* Clock.currentTimeMillis
      const window = Duration.toMillis(rate.window)
      const start = Math.floor(now / window) * window
      const taken = yield* Effect.orDie(
        count({ key: `${rate.name}:${subject}`, windowStart: DateTime.toDateUtc(DateTime.unsafeMake(start)) })
      )
      if (taken.count <= rate.limit) return
      const retryAfterSec = Math.max(1, Math.ceil((start + window - now) / 1000))
      return yield* new RateLimited({
        message: rate.message ?? `At most ${rate.limit} calls in ${Duration.format(rate.window)}`,
        hint: `Try again in ${inWords(retryAfterSec)}`,
        details: { retryAfterSec }
      })
    })

    /** Windows older than a day have no effect. */
    const sweep = Effect.gen(function*() {
      const dayAgo = DateTime.subtract(yield* DateTime.now, { days: 1 })
      yield* sql`delete from rate_limits where window_start < ${DateTime.toDateUtc(dayAgo)}`
    })
    yield* sweepHourly("Old rate limits", sweep)

    return { take }
  })
}) {}
