/** Counts calls in fixed windows, shared by all processes. */
import { SqlClient } from "@effect/sql"
import { Clock, DateTime, Duration, Effect, Option, Schema } from "effect"
import type { AddressRate } from "../../../schema/api/parts/AddressLimit.ts"
import { RateLimited } from "../../../schema/Errors.ts"
import { counted } from "../../domain/tools/text/Counted.ts"
import { countOf, findOne } from "../postgres/Queries.ts"
import { sweepHourlyOlder } from "../Sweep.ts"

/** A limit of a client address, or of any other subject. */
export type RateLimit = AddressRate

/** Exhausted windows that are remembered, so that peeking at them costs no query. */
const maxExhausted = 10_000

interface Window {
  readonly key: string
  readonly start: number
  readonly leftSec: number
}

const windowOf = (rate: RateLimit, subject: string, now: number): Window => {
  const length = Duration.toMillis(rate.window)
  const start = Math.floor(now / length) * length
  return { key: `${rate.name}:${subject}`, start, leftSec: Math.max(1, Math.ceil((start + length - now) / 1000)) }
}

/** The time in the largest unit that is not too coarse to plan a retry by. */
const inWords = (seconds: number): string =>
  seconds < 120
    ? `${seconds} s`
    : seconds < 7_200
    ? counted(Math.ceil(seconds / 60), "minute")
    : counted(Math.ceil(seconds / 3_600), "hour")

/** A limit and who is counted. */
export interface Counted {
  readonly rate: RateLimit
  readonly subject: string
}

const exceeded = ({ instead, limit, message, window }: RateLimit, retryAfterSec: number) =>
  new RateLimited({
    message: message ?? `At most ${limit} calls in ${Duration.format(window)}`,
    hint: `Try again in ${inWords(retryAfterSec)}${instead === undefined ? "" : `. ${instead}`}`,
    details: { retryAfterSec, ...(instead === undefined ? {} : { instead }) }
  })

export class RateLimits extends Effect.Service<RateLimits>()("belltower/RateLimits", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const counted = findOne(
      Schema.Struct({ count: Schema.Int }),
      (key: string, windowStart: Date) => sql`select count from rate_limits where key = ${key} and window_start = ${windowStart}`
    )

    /** The windows without calls left, by key. A count only grows, so this is never wrong within a window. */
    const exhausted = new Map<string, number>()
    const remember = ({ key, start }: Window) => {
      if (exhausted.size >= maxExhausted) exhausted.clear()
      exhausted.set(key, start)
    }

    /** Counts one, and returns how many that makes in the window. */
    const countIn = ({ key, start }: Window) =>
      countOf(sql`
        insert into rate_limits (key, window_start, count) values (${key}, ${new Date(start)}, 1)
        on conflict (key, window_start) do update set count = rate_limits.count + 1
        returning count`)

    /** Counts one call of `subject`. Above the limit, fails with the seconds left in the window. */
    const take = Effect.fnUntraced(function*(rate: RateLimit, subject: string) {
      const window = windowOf(rate, subject, yield* Clock.currentTimeMillis)
      const taken = yield* countIn(window)
      if (taken >= rate.limit) remember(window)
      if (taken > rate.limit) return yield* exceeded(rate, window.leftSec)
    })

    /**
     * Counts one of each, or nothing: fails with the first that is used up. What `once` has counted before counts no more. All callers
     * give the rates of a kind in the same order, and the database's time: a process whose clock is wrong would count in another window.
     */
    const takeEach = <One extends Counted>(
      of: ReadonlyArray<One>,
      once: Counted | null,
      now: DateTime.Utc
    ): Effect.Effect<void, One> => {
      const isAbove = ({ rate, subject }: Counted) =>
        Effect.map(countIn(windowOf(rate, subject, DateTime.toEpochMillis(now))), (taken) => taken > rate.limit)
      const count = Effect.gen(function*() {
        if (once !== null && (yield* isAbove(once))) return
        for (const one of of) if (yield* isAbove(one)) return yield* Effect.fail(one)
      })
      return Effect.catchTag(sql.withTransaction(count), "SqlError", Effect.die)
    }

    /** Fails like `take` would, without counting a call. */
    const peek = Effect.fnUntraced(function*(rate: RateLimit, subject: string) {
      const window = windowOf(rate, subject, yield* Clock.currentTimeMillis)
      if (exhausted.get(window.key) === window.start) return yield* exceeded(rate, window.leftSec)
      const windowStart = new Date(window.start)
      const taken = yield* counted(window.key, windowStart)
      if (Option.isNone(taken) || taken.value.count < rate.limit) return
      remember(window)
      return yield* exceeded(rate, window.leftSec)
    })

    /** Windows older than a day have no effect. */
    yield* sweepHourlyOlder("Old rate limits", "1 day", (before) => sql`delete from rate_limits where window_start < ${before}`)

    return { take, takeEach, peek }
  })
}) {}
