/** Fixed windows that all processes share. */
import { expect, layer } from "@effect/vitest"
import { Duration, Effect, Layer, TestClock } from "effect"
import { RateLimits } from "../../../src/store/access/RateLimits.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"

const hourly = { name: "test", limit: 3, window: Duration.hours(1) }
const hour = Duration.toMillis("1 hour")

layer(RateLimits.Default.pipe(Layer.provideMerge(Layer.orDie(TestDatabase))))("rate limits", (it) => {
  it.effect("count per subject, return the time left, and restart with the next window", () =>
    Effect.gen(function*() {
      const limits = yield* RateLimits
      const take = (subject: string) => Effect.either(limits.take(hourly, subject))
      yield* TestClock.setTime(10 * hour + 600_000)
      const four = yield* Effect.all([take("a"), take("a"), take("a"), take("a")])
      expect(four.map(({ _tag }) => _tag)).toEqual(["Right", "Right", "Right", "Left"])
      expect(four[3]).toMatchObject({ left: { _tag: "rate_limited", details: { retryAfterSec: 3000 } } })
      expect((yield* take("b"))._tag).toBe("Right")
      yield* TestClock.setTime(11 * hour - 1)
      expect(yield* take("a")).toMatchObject({ left: { details: { retryAfterSec: 1 } } })
      yield* TestClock.setTime(11 * hour)
      expect((yield* take("a"))._tag).toBe("Right")
    }))
})
