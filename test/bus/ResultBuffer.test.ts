import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import type { Evidence } from "../../schema/check/Check.ts"
import { makeResultBuffer } from "../../src/bus/LocalResults.ts"
import { monitor, result } from "./Fixtures.ts"

const step = fc.oneof(
  fc.record({ kind: fc.constant("offer" as const), count: fc.integer({ min: 0, max: 12 }) }),
  fc.record({ kind: fc.constant("take" as const), count: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ kind: fc.constant("giveBack" as const), count: fc.integer({ min: 1, max: 12 }) })
)

describe("ResultBuffer", () => {
  it("is a queue that drops its oldest entries beyond the capacity, whatever is offered, taken and returned", () => {
    fc.assert(fc.property(fc.array(step), fc.integer({ min: 1, max: 20 }), (steps, capacity) => {
      const buffer = makeResultBuffer(capacity, Infinity)
      let model: Array<number> = []
      let next = 0
      const trim = () => {
        const surplus = Math.max(0, model.length - capacity)
        model = model.slice(surplus)
        return surplus
      }
      for (const { count, kind } of steps) {
        if (kind === "offer") {
          const slots = Array.from({ length: count }, () => next++)
          const fallen = buffer.offer(slots.map((slot) => result(monitor(1), slot)))
          model.push(...slots)
          expect(fallen).toBe(trim())
        } else if (model.length > 0) {
          const batch = Effect.runSync(buffer.take(count))
          expect(batch.map(({ slot }) => slot)).toEqual(model.slice(0, count))
          if (kind === "take") model = model.slice(count)
          else expect(buffer.giveBack(batch)).toBe(0)
        }
        expect(buffer.size()).toBe(model.length)
      }
    }))
  })

  it("is bounded in bytes as well: results with evidence fill it sooner", () => {
    const buffer = makeResultBuffer(1000, 100_000)
    const evidence = { body: "x".repeat(16_000) } as unknown as Evidence
    const dropped = buffer.offer(Array.from({ length: 20 }, (_, slot) => ({ ...result(monitor(1), slot), evidence })))
    expect([buffer.size(), dropped]).toEqual([3, 17])
    expect(Effect.runSync(buffer.take(3)).map(({ slot }) => slot)).toEqual([17, 18, 19])
  })

  it("counts what a manifest says", () => {
    const buffer = makeResultBuffer(1000, 1_000_000)
    const entry = { names: ["API", "x".repeat(100)], status: "operational" as const, message: "y".repeat(400) }
    const manifest = Array.from({ length: 200 }, (_, key) => ({ ...entry, key: `key ${key}` }))
    // A quarter of a megabyte each.
    const dropped = buffer.offer(Array.from({ length: 20 }, (_, slot) => ({ ...result(monitor(1), slot), manifest })))
    expect([buffer.size(), dropped]).toEqual([4, 16])
  })

  it.effect("blocks a taker until an entry arrives", () =>
    Effect.gen(function*() {
      const buffer = makeResultBuffer(10, Infinity)
      const taker = yield* Effect.fork(buffer.take(5))
      yield* Effect.yieldNow()
      buffer.offer([result(monitor(1), 1)])
      expect((yield* taker).map(({ slot }) => slot)).toEqual([1])
    }))
})
