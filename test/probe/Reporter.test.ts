/** When results leave a worker: the first immediately, calm ones together, and urgent ones with all that wait. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { Bus } from "../../src/bus/Bus.ts"
import { LocalBus } from "../../src/bus/LocalBus.ts"
import { probeMetrics } from "../../src/probe/Metrics.ts"
import { makeReporter } from "../../src/probe/Reporter.ts"
import { main, monitor, result } from "../bus/Fixtures.ts"

const makeReported = Effect.gen(function*() {
  const batches: Array<ReadonlyArray<number>> = []
  const local = yield* Layer.build(LocalBus.layer).pipe(Effect.flatMap((context) => Effect.provide(Bus, context)))
  const bus = {
    ...local,
    report: (batch: ReadonlyArray<CheckResult>) => Effect.sync(() => void batches.push(batch.map(({ slot }) => slot)))
  }
  const reporter = yield* makeReporter(probeMetrics(main)).pipe(Effect.provideService(Bus, bus))
  const offer = (...slots: ReadonlyArray<number>) =>
    Effect.zipRight(
      Effect.sync(() => slots.forEach((slot) => reporter.offer(result(monitor(1), slot)))),
      TestClock.adjust(0)
    )
  const offerUrgent = (slot: number, more: Partial<CheckResult>) =>
    Effect.zipRight(Effect.sync(() => reporter.offer({ ...result(monitor(1), slot), ...more })), TestClock.adjust(0))
  return { batches, offer, offerUrgent }
})

describe("the results of a worker", () => {
  it.scoped("leave immediately after a lull, and gather for a quarter of a second after that", () =>
    Effect.gen(function*() {
      const { batches, offer } = yield* makeReported
      yield* offer(1)
      expect(batches).toEqual([[1]])
      yield* offer(2, 3)
      yield* TestClock.adjust("249 millis")
      expect(batches).toEqual([[1]])
      yield* TestClock.adjust("1 millis")
      expect(batches).toEqual([[1], [2, 3]])
      yield* TestClock.adjust("250 millis")
      yield* offer(4)
      expect(batches).toEqual([[1], [2, 3], [4]])
    }))

  const urgent: ReadonlyArray<readonly [string, Partial<CheckResult>]> = [
    ["that is down", { outcome: "down", error: "refused", cause: "connect_refused" }],
    ["that is degraded", { outcome: "degraded", error: "slow", cause: "slow" }],
    ["that repeats a failed check", { attempt: 1 }],
    ["with the statuses of a manifest", { manifest: [] }]
  ]
  it.scoped.each(urgent)("leave without waiting, in their order, with one %s", ([, more]) =>
    Effect.gen(function*() {
      const { batches, offer, offerUrgent } = yield* makeReported
      yield* offer(1)
      yield* offer(2)
      yield* offerUrgent(3, more)
      expect(batches).toEqual([[1], [2, 3]])
      // Those after it are calm again.
      yield* offer(4)
      expect(batches).toEqual([[1], [2, 3]])
    }))

  it.scoped("leave once they fill a batch", () =>
    Effect.gen(function*() {
      const { batches, offer } = yield* makeReported
      yield* offer(0)
      yield* offer(...Array.from({ length: 1_100 }, (_, n) => n + 1))
      expect(batches.map(({ length }) => length)).toEqual([1, 500, 500, 100])
    }))

  it.effect("leave when the worker ends", () =>
    Effect.gen(function*() {
      const batches = yield* Effect.scoped(Effect.gen(function*() {
        const { batches, offer } = yield* makeReported
        yield* offer(1)
        yield* offer(2, 3)
        return batches
      }))
      expect(batches).toEqual([[1], [2, 3]])
    }))
})
