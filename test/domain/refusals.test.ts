/** The content of a refusal: each field that is wrong has its path and its message. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { envelopeOf, ValidationFailed } from "../../schema/Errors.ts"
import { mostRefusals, type Refusal, validationFailure } from "../../src/domain/Refusal.ts"

const refusal: fc.Arbitrary<Refusal> = fc.record({
  path: fc.option(fc.stringMatching(/^[a-z]+(\.\d)?$/)),
  message: fc.string({ minLength: 1 })
})

describe("a refusal", () => {
  it.prop("has the path and the message of each field", [fc.array(refusal, { minLength: 1, maxLength: 80 })], ([refusals]) => {
    const { details, message } = validationFailure(refusals)
    const [first] = refusals
    expect(message).not.toBe("")
    const each = refusals.slice(0, mostRefusals).map(({ message, path }) => ({ path: path ?? "", message }))
    expect(details).toEqual(refusals.length === 1 && first?.path === null ? undefined : each)
  })

  it("cannot be made with a path alone", () => {
    const details: ReadonlyArray<{ readonly path: string; readonly message: string }> = JSON.parse("[{\"path\":\"url\"}]")
    expect(() => new ValidationFailed({ message: "Wrong", details })).toThrow(/message/)
  })

  it("says its only reason in a message that names the field, and at the path of the field", () => {
    const answered = (refusals: ReadonlyArray<Refusal>) => envelopeOf(validationFailure(refusals)).error
    const code = "validation_failed"
    expect(answered([{ path: "url", message: "url is required for http monitors" }])).toEqual({
      code,
      message: "url is required for http monitors",
      details: [{ path: "url", message: "url is required for http monitors" }]
    })
    expect(answered([{ path: "regions.1", message: "There is no region mars", hint: "Use GET /api/v1/regions" }])).toEqual({
      code,
      message: "regions.1: There is no region mars",
      hint: "Use GET /api/v1/regions",
      details: [{ path: "regions.1", message: "There is no region mars" }]
    })
    // The word is part of another one.
    expect(answered([{ path: "end", message: "The endpoint is gone" }])).toMatchObject({ message: "end: The endpoint is gone" })
    expect(answered([{ path: null, message: "Nothing to change" }])).toEqual({ code, message: "Nothing to change" })
  })

  it.prop("has the path of each field, and an empty path only beside others", [
    fc.array(refusal, { minLength: 1, maxLength: 80 })
  ], ([refusals]) => {
    const { details } = envelopeOf(validationFailure(refusals)).error
    const paths = refusals.slice(0, mostRefusals).map(({ path }) => path ?? "")
    expect((details ?? [{ path: "" }]).map(({ path }) => path)).toEqual(paths)
  })
})
