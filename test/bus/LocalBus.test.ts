import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { Bus } from "../../src/bus/Bus.ts"
import { LocalBus } from "../../src/bus/LocalBus.ts"
import { busContract } from "./BusContract.ts"
import { assigned, monitor, reader, record, result, until, work } from "./Fixtures.ts"

const local = Effect.provide(Bus, LocalBus.layer)

describe("LocalBus", () => {
  busContract(Effect.map(local, (bus) => ({ one: bus, two: bus, other: bus })))

  it.scopedLive("keeps the newest results when nobody takes them, and never blocks the probes", () =>
    Effect.gen(function*() {
      const bus = yield* local
      for (let n = 0; n < 120; n++) {
        yield* bus.report(Array.from({ length: 1_000 }, (_, i) => result(monitor(1), n * 1_000 + i)))
      }
      const seen = yield* record(bus)
      const kept = yield* until(seen, (results) => results.length === 100_000)
      expect(kept[0]?.slot).toBe(20_000)
      expect(kept.at(-1)?.slot).toBe(119_999)
    }))

  it.scoped("passes urgent results on without a wait, unless others just went ahead; what else waits goes with them", () =>
    Effect.gen(function*() {
      const bus = yield* local
      const taken: Array<ReadonlyArray<number>> = []
      yield* bus.results((batch) =>
        Effect.sync(() => {
          taken.push(batch.map(({ slot }) => slot))
          return { stored: Effect.void, late: null }
        }), reader())
      const down = (n: number) => ({ ...result(monitor(1), n), outcome: "down" as const })
      yield* bus.report([result(monitor(1), 1)])
      yield* TestClock.adjust("10 millis")
      expect(taken).toEqual([])
      yield* bus.report([down(2)])
      yield* TestClock.adjust("0 millis")
      expect(taken).toEqual([[1, 2]])
      yield* bus.report([down(3)])
      yield* TestClock.adjust("24 millis")
      expect(taken).toEqual([[1, 2]])
      yield* TestClock.adjust("1 millis")
      expect(taken).toEqual([[1, 2], [3]])
    }))

  it.scopedLive("assigns a region's monitors to its first worker only", () =>
    Effect.gen(function*() {
      const bus = yield* local
      const first = yield* work(bus)
      yield* until(first, (share) => share !== null)
      const second = yield* work(bus)
      yield* until(second, (share) => share !== null)
      yield* bus.assign([assigned(monitor(1))])
      yield* until(first, (share) => share?.size === 1)
      expect((yield* second.get)?.size).toBe(0)
    }))
})
