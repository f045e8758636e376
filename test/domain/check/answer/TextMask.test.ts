/** Masking many words in one pass. */
import { describe, expect, it, vi } from "@effect/vitest"
import fc from "fast-check"
import { textMask } from "../../../../src/domain/check/answer/SecretMask.ts"

/** The text that a word covers, found the slow way. */
const covered = (words: ReadonlyArray<string>, text: string): ReadonlyArray<boolean> =>
  Array.from(text, (_, at) =>
    words.some((word) => {
      for (let start = Math.max(0, at - word.length + 1); start <= at; start++) if (text.startsWith(word, start)) return true
      return false
    }))

/** Adjacent words that do not overlap are masked apart, so only what is left of the text is compared. */
const rest = (masked: string) => masked.replaceAll("#", "")

const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 5 })

describe("a mask", () => {
  it("takes away exactly what its words cover", () => {
    fc.assert(
      fc.property(
        fc.array(letters, { maxLength: 6 }),
        fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 40 }),
        (words, text) => {
          const flags = covered(words, text)
          expect(rest(textMask(words, "#")(text))).toBe([...text].filter((_, at) => !flags[at]).join(""))
        }
      ),
      { numRuns: 2000 }
    )
  })

  it("masks overlapping words as one, and words side by side as two", () => {
    expect(textMask(["secret", "crete"], "#")("a secrete b")).toBe("a # b")
    expect(textMask(["ab"], "#")("xababx")).toBe("x##x")
    expect(textMask(["b", "abcd"], "#")("xabcdx")).toBe("x#x")
  })

  it("leaves texts alone without words", () => {
    expect(textMask([], "#")("abc")).toBe("abc")
    expect(textMask([""], "#")("abc")).toBe("abc")
  })

  it("takes a bounded number of steps for each letter, also where every word almost matches everywhere", () => {
    const words = Array.from({ length: 64 }, (_, index) => `${"a".repeat(500)}b${"a".repeat(400 + index)}`)
    const mask = textMask(words, "#")
    const lookups = vi.spyOn(Map.prototype, "get")
    mask("a".repeat(20_000))
    const steps = lookups.mock.calls.length
    lookups.mockRestore()
    expect(steps).toBeGreaterThan(19_999)
    expect(steps).toBeLessThanOrEqual(60_000)
  })
})
