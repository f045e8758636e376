/** What must never end begins again, however it ended, and says so; and ends all the same with its process. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Logger, Queue, TestClock } from "effect"
import { register } from "prom-client"
import { unending } from "../../src/loops/Unending.ts"

const ends = {
  "comes to its end": Effect.void,
  fails: Effect.fail("no answer"),
  breaks: Effect.dieMessage("no answer"),
  "is ended from inside": Effect.interrupt
}

const listening = (lines: Array<string>) =>
  Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => void lines.push(String(message))))

describe("unending", () => {
  for (const [how, end] of Object.entries(ends)) {
    it.effect(`work that ${how} is begun again, and somebody hears of it`, () =>
      Effect.gen(function*() {
        const begun = yield* Queue.unbounded<void>()
        const lines: Array<string> = []
        const fiber = yield* Effect.fork(
          unending(`Work that ${how}`, Effect.zipRight(Queue.offer(begun, undefined), end)).pipe(
            Effect.provide(listening(lines))
          )
        )
        yield* Queue.take(begun)
        yield* TestClock.adjust("100 millis")
        yield* Queue.take(begun)
        expect(lines[0]).toContain(`Work that ${how} has stopped and is begun again: `)
        yield* Fiber.interrupt(fiber)
        const counter = yield* Effect.promise(() => register.getSingleMetric("belltower_loops_begun_again_total")!.get())
        expect(counter.values.find(({ labels }) => labels["work"] === `Work that ${how}`)?.value).toBeGreaterThanOrEqual(1)
      }))
  }

  it.effect("what ends at once each time is not begun in a storm", () =>
    Effect.gen(function*() {
      let begun = 0
      const work = Effect.suspend(() => {
        begun++
        return Effect.dieMessage("at once")
      })
      yield* Effect.fork(unending("A storm", work).pipe(Effect.provide(listening([]))))
      yield* TestClock.adjust("1 minute")
      expect(begun).toBeLessThan(15)
      yield* TestClock.adjust("5 minutes")
      expect(begun).toBeGreaterThan(30)
    }))
})
