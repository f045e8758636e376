/** Durations as people write them. */
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { readDuration, writeDuration } from "../../../../src/domain/tools/time/SpokenDuration.ts"

describe("a duration that a person wrote", () => {
  it("is read in any of the usual forms", () => {
    const minute = 60_000
    for (
      const [text, ms] of [
        ["5 min", 5 * minute],
        ["5m", 5 * minute],
        ["5 Minutes", 5 * minute],
        ["1h 30m", 90 * minute],
        ["1 hr 30 mins", 90 * minute],
        ["1 hour and 30 minutes", 90 * minute],
        ["1.5h", 90 * minute],
        ["500ms", 500],
        ["1 s 500 ms", 1500],
        ["2 days", 2880 * minute],
        ["1 week", 7 * 1440 * minute],
        ["86,400", 86_400_000],
        [" 90 ", 90_000]
      ] as const
    ) expect([text, readDuration(text, "s")]).toEqual([text, ms])
  })

  it("without a unit is in that of the argument, if it is a number alone", () => {
    expect([readDuration("90", "ms"), readDuration("90", "s"), readDuration("90", "m")]).toEqual([90, 90_000, 5_400_000])
    expect(readDuration("1 h 30", "s")).toBeNull()
  })

  it("is nothing if it says something else", () => {
    for (const text of ["", "soon", "-5", "5 parsecs", "min", "5 min!", "1:30", "constructor", "5 toString"]) {
      expect([text, readDuration(text, "s")]).toEqual([text, null])
    }
  })

  it("is written exactly: what is written is read as the same", () => {
    expect([90_000, 5_400_000, 86_400_000, 172_800_000, 1500, 0].map(writeDuration)).toEqual([
      "1 min 30 s",
      "1 h 30 min",
      "1 day",
      "2 days",
      "1 s 500 ms",
      "0 s"
    ])
    fc.assert(fc.property(fc.integer({ min: 0, max: 40 * 86_400_000 }), (ms) => {
      expect(readDuration(writeDuration(ms), "ms")).toBe(ms)
    }))
  })
})
