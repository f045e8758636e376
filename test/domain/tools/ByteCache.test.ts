import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { makeByteCache } from "../../../src/domain/tools/ByteCache.ts"

const limits = { entries: 20, bytes: 100, bytesPerOwner: 40 }

const kept = fc.record({
  key: fc.integer({ min: 0, max: 30 }).map(String),
  owner: fc.constantFrom("a", "b", "c", "d"),
  bytes: fc.integer({ min: 0, max: 40 })
})

describe("A cache bounded in bytes", () => {
  it("never holds more than its limits, and what was kept last", () => {
    fc.assert(fc.property(fc.array(kept, { maxLength: 200 }), (all) => {
      const cache = makeByteCache<string>(limits)
      for (const { bytes, key, owner } of all) {
        cache.keep(key, owner, owner, bytes)
        expect(cache.bytes()).toBeLessThanOrEqual(limits.bytes)
        expect(cache.size()).toBeLessThanOrEqual(limits.entries)
        expect(cache.use(key)).toBe(owner)
      }
      const held = new Map(all.map(({ bytes, key, owner }) => [key, { bytes, owner }]))
      for (const owner of ["a", "b", "c", "d"]) {
        const own = [...held].filter(([key, one]) => one.owner === owner && cache.use(key) !== undefined)
        expect(own.reduce((sum, [, one]) => sum + one.bytes, 0)).toBeLessThanOrEqual(limits.bytesPerOwner)
      }
    }))
  })

  it("drops the least recently used of an owner that exceeds its part, and nothing of others", () => {
    const cache = makeByteCache<number>(limits)
    cache.keep("other", "b", 0, 10)
    cache.keep("first", "a", 1, 20)
    cache.keep("second", "a", 2, 20)
    cache.use("first")
    cache.keep("third", "a", 3, 20)
    expect(["other", "first", "second", "third"].map((key) => cache.use(key) !== undefined)).toEqual([true, true, false, true])
  })

  it("changes values without using them", () => {
    const cache = makeByteCache<number>({ entries: 2, bytes: 100, bytesPerOwner: 100 })
    cache.keep("first", "a", 1, 1)
    cache.keep("second", "a", 2, 1)
    cache.change((value, key) => key === "first" ? 10 : value)
    cache.keep("third", "a", 3, 1)
    expect([cache.use("first"), cache.use("second")]).toEqual([undefined, 2])
  })
})
