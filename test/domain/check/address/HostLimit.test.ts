/** The limit per host: never exceeded within a second, no item lost, no needless wait, and no owner starves another. */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { makeHostLimit } from "../../../../src/domain/check/address/HostLimit.ts"

interface Look {
  readonly owner: string
  readonly number: number
}
const ownerOf = ({ owner }: Look) => owner

/** A limit for hosts with many monitors. */
const limitOf = (perSecond: number) => {
  const limit = makeHostLimit<Look>(perSecond, ownerOf)
  for (const host of ["host", "a", "b"]) limit.count(host, 10_000)
  return limit
}

describe("the limit per host", () => {
  it("never exceeds the rate, and starts every item as early as the rate allows", () => {
    const arrivals = fc.array(
      fc.record({ after: fc.nat(300), owner: fc.constantFrom("a", "b", "c"), count: fc.nat(12) }),
      { maxLength: 40 }
    )
    fc.assert(fc.property(arrivals, fc.integer({ min: 1, max: 8 }), (steps, perSecond) => {
      const limit = limitOf(perSecond)
      const starts: Array<number> = []
      let now = 0
      let offered = 0
      const within = () => starts.filter((at) => at > now - 1000).length
      const advance = () => {
        for (const _ of limit.advance(now)) starts.push(now)
        expect(within()).toBeLessThanOrEqual(perSecond)
        if (limit.waiting() > 0) expect(within()).toBe(perSecond)
      }
      for (const { after, count, owner } of steps) {
        now += after
        advance()
        for (let i = 0; i < count; i++) if (limit.enter("host", { owner, number: offered++ }, now)) starts.push(now)
        advance()
      }
      const left = limit.waiting()
      for (const end = now + Math.ceil(left / perSecond) * 1000; now < end;) {
        now += 100
        advance()
      }
      expect(starts.length).toBe(offered)
    }))
  })

  it("never exceeds the rate at all workers together, whatever their shares", () => {
    const shares = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(shares, fc.integer({ min: 1, max: 60 }), (partitions, perSecond) => {
        const total = partitions.reduce((sum, one) => sum + one, 0)
        const workers = partitions.map((held) => {
          const limit = makeHostLimit<Look>(perSecond, ownerOf, () => held / total)
          limit.count("host", 10_000)
          return limit
        })
        const seconds = 20
        let starts = 0
        for (const limit of workers) {
          for (let number = 0; number < 2000; number++) if (limit.enter("host", { owner: "a", number }, 0)) starts++
        }
        for (let now = 100; now < seconds * 1000; now += 100) for (const limit of workers) starts += limit.advance(now).length
        // A worker whose share is less than one start a second begins with a whole one.
        expect(starts).toBeLessThanOrEqual(perSecond * seconds + workers.length)
        expect(starts).toBeGreaterThan((perSecond * seconds - workers.length * seconds) * 0.8)
      }),
      { numRuns: 30 }
    )
  })

  it("serves a new owner before owners with many starts in the last second", () => {
    const limit = limitOf(50)
    for (let number = 0; number < 3650; number++) limit.enter("host", { owner: "crowd", number }, 0)
    limit.enter("host", { owner: "neighbour", number: 0 }, 500)
    expect(limit.advance(999)).toEqual([])
    const next = limit.advance(1000)
    expect(next).toHaveLength(50)
    expect(next.findIndex(({ owner }) => owner === "neighbour")).toBeLessThan(2)
  })

  it("limits each host separately, and not at all if the limit is 0", () => {
    const limit = limitOf(1)
    expect(["a", "b"].map((host) => limit.enter(host, { owner: "a", number: 0 }, 0))).toEqual([true, true])
    expect(limit.enter("a", { owner: "b", number: 0 }, 999)).toBe(false)
    expect(limit.enter("b", { owner: "b", number: 0 }, 1000)).toBe(true)
    const none = limitOf(0)
    for (let number = 0; number < 1000; number++) expect(none.enter("a", { owner: "a", number }, 0)).toBe(true)
  })

  it("does not limit hosts with few monitors, and drops the state of hosts whose monitors are gone", () => {
    const limit = makeHostLimit<Look>(2, ownerOf)
    const enter = () => limit.enter("host", { owner: "a", number: 0 }, 0)
    limit.count("host", 2)
    expect([enter(), enter(), enter()]).toEqual([true, true, true])
    limit.count("host", 1)
    expect([enter(), enter(), enter()]).toEqual([true, true, false])
    expect(limit.advance(1000)).toHaveLength(1)
    limit.count("host", -2)
    expect([enter(), enter(), enter()]).toEqual([true, true, true])
  })
})
