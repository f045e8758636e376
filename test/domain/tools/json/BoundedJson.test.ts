/** Counting JSON before it is parsed. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import fc from "fast-check"
import { jsonSize, parseBoundedJson } from "../../../../src/domain/tools/json/BoundedJson.ts"

/** Members and items, counted in the parsed value; an empty container is counted as one, as the text's commas cannot tell. */
const countIn = (value: unknown): { readonly entries: number; readonly depth: number } => {
  if (typeof value !== "object" || value === null) return { entries: 0, depth: 0 }
  const inner = Object.values(value).map(countIn)
  return {
    entries: Math.max(1, inner.length) + inner.reduce((sum, one) => sum + one.entries, 0),
    depth: 1 + Math.max(0, ...inner.map((one) => one.depth))
  }
}

describe("the size of a JSON text", () => {
  it("is that of its value, whatever its strings hold and however it is spaced", () => {
    fc.assert(fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      expect(jsonSize(JSON.stringify(value, null, indent))).toEqual(countIn(value))
    }))
  })

  it("ends with the text, also when that breaks off in a string or after a backslash", () => {
    for (const text of ["\"", "\"\\", "{\"a", "[[[", "}}}"]) expect(jsonSize(text).entries).toBeLessThan(4)
  })
})

describe("JSON from a stranger", () => {
  it("is parsed within the limits", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      expect(parseBoundedJson(text)).toEqual(Either.right(JSON.parse(text)))
    }))
  })

  it("keeps integers that JavaScript would round, as texts", () => {
    const text =
      "{\"a\": [9007199254740993, -12345678901234567890, 9007199254740992], \"9007199254740993\": \"\\\"9007199254740993\"," +
      "\"d\": 0.12345678901234567890, \"e\": 1234567890123456789e3, \"f\": 7}"
    expect(parseBoundedJson(text)).toEqual(Either.right({
      a: ["9007199254740993", "-12345678901234567890", 9007199254740992],
      "9007199254740993": "\"9007199254740993",
      d: 0.12345678901234568,
      e: 1234567890123456789e3,
      f: 7
    }))
    expect(parseBoundedJson("{9007199254740993: 1}")).toEqual(Either.left("invalid"))
    expect(parseBoundedJson(`[${"9".repeat(400)}]`)).toEqual(Either.right(["9".repeat(400)]))
  })

  it("is refused for its entries or its depth before it is parsed", () => {
    expect(parseBoundedJson(`[${"1,".repeat(10_000)}1]`)).toEqual(Either.left("too many entries"))
    expect(parseBoundedJson("[".repeat(65) + "]".repeat(65))).toEqual(Either.left("too deep"))
    expect(parseBoundedJson("[".repeat(9_000))).toEqual(Either.left("too deep"))
    expect(parseBoundedJson("{\"a\":")).toEqual(Either.left("invalid"))
  })

  it("takes what is exactly at the limits", () => {
    expect(Either.isRight(parseBoundedJson(`[${"1,".repeat(9_999)}1]`))).toBe(true)
    expect(Either.isRight(parseBoundedJson("[".repeat(64) + "]".repeat(64)))).toBe(true)
  })
})
