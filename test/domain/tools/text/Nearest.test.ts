/** Suggestions for misspelt names. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { nearest } from "../../../../src/domain/tools/text/Nearest.ts"

/** The Levenshtein distance as it is defined. */
const distance = (from: string, to: string): number => {
  if (from === "" || to === "") return from.length + to.length
  const swap = distance(from.slice(1), to.slice(1)) + (from[0] === to[0] ? 0 : 1)
  return Math.min(swap, distance(from.slice(1), to) + 1, distance(from, to.slice(1)) + 1)
}

const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 5 })

describe("the nearest word", () => {
  it("is one of the closest of which at most half of the letters differ", () => {
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 6 }), (given, known) => {
        const near = known.filter((one) => distance(given, one) * 2 <= one.length)
        const least = Math.min(...near.map((one) => distance(given, one)))
        const found = nearest(given, known)
        expect(found === null ? null : distance(given, found)).toBe(near.length === 0 ? null : least)
      }),
      { numRuns: 300 }
    )
  })

  it("is found whatever the case and the separators", () => {
    expect(nearest("Interval_Sec", ["timeoutMs", "intervalSec"])).toBe("intervalSec")
    expect(nearest("intervl", ["timeoutMs", "interval"])).toBe("interval")
    expect(nearest("x".repeat(65), ["x".repeat(60)])).toBeNull()
  })
})
