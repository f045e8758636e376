/** The places of a full line: an owner that has few waiting takes one from the owner that has most. */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { makeWaitingShares } from "../../../../src/domain/tools/queues/WaitingShares.ts"

const owner = fc.constantFrom("a", "b", "c", "d")

describe("a full line", () => {
  it("takes a place from an owner that has most, if the one that asks then still has no more", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(owner, fc.boolean()), { maxLength: 200 }), owner, (steps, asking) => {
        const shares = makeWaitingShares()
        const counts = new Map<string, number>()
        for (const [one, isAdded] of steps) {
          const count = counts.get(one) ?? 0
          if (isAdded) shares.add(one)
          else shares.remove(one)
          counts.set(one, Math.max(0, count + (isAdded ? 1 : -1)))
        }
        const most = Math.max(0, ...counts.values())
        const own = counts.get(asking) ?? 0
        const giver = shares.giverFor(asking)
        expect(shares.size()).toBe([...counts.values()].reduce((sum, count) => sum + count, 0))
        if (giver === undefined) expect(own + 1).toBeGreaterThanOrEqual(most)
        else expect([counts.get(giver), most > own + 1]).toEqual([most, true])
      })
    )
  })

  it("is shared equally by owners who ask without end, however it was filled", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.array(owner, { minLength: 40, maxLength: 40 }), (places, filled) => {
        const shares = makeWaitingShares()
        const counts = new Map<string, number>([["a", 0], ["b", 0], ["c", 0], ["d", 0]])
        const change = (one: string, by: 1 | -1): void => {
          counts.set(one, (counts.get(one) ?? 0) + by)
          if (by === 1) shares.add(one)
          else shares.remove(one)
        }
        for (const one of filled.slice(0, places)) change(one, 1)
        for (let round = 0; round < places; round++) {
          for (const one of counts.keys()) {
            const giver = shares.giverFor(one)
            if (giver === undefined) continue
            change(giver, -1)
            change(one, 1)
          }
        }
        expect(Math.max(...counts.values()) - Math.min(...counts.values())).toBeLessThanOrEqual(1)
        expect(shares.size()).toBe(places)
      })
    )
  })
})
