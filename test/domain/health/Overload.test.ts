/** The beginning and the end of an overload. */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { makeOverload } from "../../../src/domain/health/Overload.ts"

describe("an overload", () => {
  it("is reported once, however long it lasts and however often the wait falls, and ends half a minute after the last long wait", () => {
    const overload = makeOverload()
    const waits = [0, 900, 1_000, 5_000, 0, 20_000, 0, 0]
    const judged = waits.map((wait, at) => overload.judge(wait, at * 10_000))
    expect(judged.map((news) => news?._tag ?? null)).toEqual([null, null, "Began", null, null, null, null, null])
    expect(overload.judge(0, 80_000)).toEqual({ _tag: "Ended", ms: 30_000 })
    expect(overload.lasts()).toBe(false)
  })

  it("begins and ends by turns", () => {
    fc.assert(fc.property(fc.array(fc.record({ wait: fc.nat(3_000), after: fc.nat(40_000) })), (looks) => {
      const overload = makeOverload()
      let now = 0
      let lasts = false
      for (const { after, wait } of looks) {
        now += after
        const news = overload.judge(wait, now)
        if (news !== null) {
          expect(news._tag).toBe(lasts ? "Ended" : "Began")
          lasts = !lasts
        }
        expect(overload.lasts()).toBe(lasts)
      }
    }))
  })
})
