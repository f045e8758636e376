/** Parsing of accepted status codes. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import fc from "fast-check"
import { acceptsStatus, parseExpectedStatus } from "../../../../src/domain/check/answer/ExpectedStatus.ts"

const code = fc.integer({ min: 100, max: 999 })

describe("an expected status", () => {
  it("accepts exactly the codes and ranges it lists", () => {
    fc.assert(fc.property(fc.array(fc.tuple(code, code), { minLength: 1, maxLength: 5 }), code, (pairs, status) => {
      const ranges = pairs.map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
      const text = ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(", ")
      const expected = ranges.some(([from, to]) => from <= status && status <= to)
      expect(acceptsStatus(Either.getOrThrow(parseExpectedStatus(text)), status)).toBe(expected)
    }))
  })

  it.each(["", "2xx", "200-", "-200", "20", "200,,204", "99", "1000", "200 204", "ok", "200;204"])(
    "cannot be written as \"%s\"",
    (text) => expect(Either.isLeft(parseExpectedStatus(text))).toBe(true)
  )

  it("suggests the fix for a reversed range", () =>
    expect(parseExpectedStatus("299-200")).toEqual(Either.left("\"299-200\" is reversed; use 200-299")))
})
