/** A background loop restarts however it exits, and still ends with its process. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Queue, TestClock } from "effect"
import { register } from "prom-client"
import { restartForever } from "../../src/loops/RestartForever.ts"
import { collectingLog } from "../support/measure/CollectingLog.ts"

const exits = {
  returns: Effect.void,
  fails: Effect.fail("no answer"),
  dies: Effect.dieMessage("no answer"),
  "interrupts itself": Effect.interrupt
}

describe("restartForever", () => {
  for (const [how, exit] of Object.entries(exits)) {
    it.effect(`restarts, logs and counts a loop that ${how}`, () =>
      Effect.gen(function*() {
        const starts = yield* Queue.unbounded<void>()
        const lines: Array<string> = []
        const fiber = yield* Effect.fork(
          restartForever(`A loop that ${how}`, Effect.zipRight(Queue.offer(starts, undefined), exit)).pipe(
            Effect.provide(collectingLog(lines))
          )
        )
        yield* Queue.take(starts)
        yield* TestClock.adjust("100 millis")
        yield* Queue.take(starts)
        expect(lines[0]).toContain(`A loop that ${how} stopped; restarting: `)
        yield* Fiber.interrupt(fiber)
        const counter = yield* Effect.promise(() => register.getSingleMetric("belltower_loop_restarts_total")!.get())
        expect(counter.values.find(({ labels }) => labels["loop"] === `A loop that ${how}`)?.value).toBeGreaterThanOrEqual(1)
      }))
  }

  it.effect("slows down a loop that exits immediately every time", () =>
    Effect.gen(function*() {
      let starts = 0
      const loop = Effect.suspend(() => {
        starts++
        return Effect.dieMessage("immediately")
      })
      yield* Effect.fork(restartForever("A short loop", loop).pipe(Effect.provide(collectingLog([]))))
      yield* TestClock.adjust("1 minute")
      expect(starts).toBeLessThan(15)
      yield* TestClock.adjust("5 minutes")
      expect(starts).toBeGreaterThan(30)
    }))
})
