import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { makeOpenResults } from "../../../cluster/check/CheckConsumer.ts"
import { resultBytes } from "../../../src/domain/check/history/ResultSize.ts"
import { monitor, result } from "../../bus/Fixtures.ts"

const some = (count: number) => Array.from({ length: count }, (_, n) => result(monitor(n), 1))

/** Whether one more batch must wait. */
const mustWait = (open: ReturnType<typeof makeOpenResults>) =>
  Effect.gen(function*() {
    const next = yield* Effect.fork(open.begin(some(1)))
    yield* Effect.yieldNow()
    const waits = next.unsafePoll() === null
    if (!waits) open.end(some(1))
    yield* Fiber.interrupt(next)
    return waits
  })

describe("results that are not stored yet", () => {
  it.effect("hold back the next batch when they are too many, until some are stored", () =>
    Effect.gen(function*() {
      const open = makeOpenResults({ results: 10, bytes: 1_000_000 })
      yield* open.begin(some(9))
      expect(yield* mustWait(open)).toBe(false)
      yield* open.begin(some(5))
      expect(yield* mustWait(open)).toBe(true)
      open.end(some(5))
      expect(yield* mustWait(open)).toBe(false)
      expect(open.count()).toBe(9)
    }))

  it.effect("hold back the next batch when they are too large", () =>
    Effect.gen(function*() {
      const open = makeOpenResults({ results: 1_000, bytes: 3 * some(1).reduce((sum, one) => sum + resultBytes(one), 0) })
      yield* open.begin(some(2))
      expect(yield* mustWait(open)).toBe(false)
      yield* open.begin(some(1))
      expect(yield* mustWait(open)).toBe(true)
      open.end(some(1))
      expect(yield* mustWait(open)).toBe(false)
    }))
})
