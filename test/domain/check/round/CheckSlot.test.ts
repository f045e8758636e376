/** Slots: identical in every process, consecutive, and spread evenly. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { phaseOf, slotAt, slotStart } from "../../../../src/domain/check/round/CheckSlot.ts"
import { makeId } from "../../../../src/domain/tools/Id.ts"

const interval = fc.integer({ min: 10, max: 86_400 }).map((seconds) => seconds * 1000)
const time = fc.integer({ min: 1_600_000_000_000, max: 2_000_000_000_000 })

describe("slots", () => {
  it("begin at or before the instant they contain, and end after it", () => {
    fc.assert(fc.property(fc.string(), interval, time, (id, intervalMs, now) => {
      const phase = phaseOf(id, intervalMs)
      expect(phase).toBeGreaterThanOrEqual(0)
      expect(phase).toBeLessThan(intervalMs)
      const start = slotStart(slotAt(now, phase, intervalMs), phase, intervalMs)
      expect(start).toBeLessThanOrEqual(now)
      expect(start + intervalMs).toBeGreaterThan(now)
    }))
  })

  it("spread monitors created one after another evenly over the interval", () => {
    const perSecond = new Array<number>(60).fill(0)
    const count = 12_000
    for (let i = 0; i < count; i++) {
      const id = makeId("mon", 1_700_000_000_000 + i * 3, new Uint8Array(10).fill(i % 7))
      const second = Math.floor(phaseOf(id, 60_000) / 1000)
      perSecond[second] = (perSecond[second] ?? 0) + 1
    }
    expect(Math.max(...perSecond)).toBeLessThan((count / 60) * 1.4)
    expect(Math.min(...perSecond)).toBeGreaterThan((count / 60) * 0.6)
  })
})
