/** Ids sort by time, contain it, and never repeat or decrease. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { idTime, makeId, makeIdAfter } from "../../../src/domain/tools/Id.ts"

const time = fc.integer({ min: 0, max: 2 ** 48 - 1 })
const random = fc.uint8Array({ minLength: 10, maxLength: 10 })

describe("ids", () => {
  it("are a prefix and 26 lowercase Crockford characters, and contain their time", () => {
    fc.assert(fc.property(time, random, (now, bytes) => {
      const id = makeId("mon", now, bytes)
      expect(id).toMatch(/^mon_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
      expect(idTime(id)).toBe(now)
    }))
  })

  it("sort by time", () => {
    fc.assert(fc.property(time, time, random, random, (a, b, one, two) => {
      fc.pre(a !== b)
      expect(makeId("evt", a, one) < makeId("evt", b, two)).toBe(a < b)
    }))
  })

  it("strictly increase, even when the clock stands still or goes back", () => {
    fc.assert(fc.property(fc.array(fc.tuple(time, random), { minLength: 2, maxLength: 30 }), (steps) => {
      let last: string | null = null
      for (const [now, bytes] of steps) {
        const next: string = makeIdAfter(last, "evt", now, bytes)
        if (last !== null) expect(next > last).toBe(true)
        expect(next).toHaveLength(30)
        last = next
      }
    }))
  })

  it("are recognised, and other texts are not", () => {
    fc.assert(fc.property(fc.string(), (text) => {
      if (!/^[^_]*_?[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text)) expect(idTime(text)).toBeNull()
    }))
  })
})
