/** Which messages of the bus are valid and which are not. */
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, FastCheck as fc, Option, Schema } from "effect"
import { CheckResult } from "../../schema/check/Bus.ts"
import { isPlainResult, resultWire } from "../../src/bus/Wire.ts"

const results = Arbitrary.make(CheckResult)
const plain = results.map((result): CheckResult => ({ ...result, error: null, cause: null, evidence: null }))
const isResult = Schema.is(CheckResult)

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))
/** Values that survive JSON: no negative zero, no infinity. */
const carried = (result: CheckResult): unknown => JSON.parse(JSON.stringify(result))
const carriedRecord = (result: CheckResult | undefined): object => JSON.parse(JSON.stringify(result))

describe("a result on the wire", () => {
  it("is read as it was sent, in plain form and with evidence", () => {
    fc.assert(fc.property(fc.oneof(results, plain), (result) => {
      fc.pre(isResult(carried(result)))
      // A header of that name is lost: a record that had it would have another prototype.
      fc.pre(!Object.hasOwn(result.evidence?.responseHeaders ?? {}, "__proto__"))
      expect(resultWire.decode(bytesOf(result))).toEqual(Option.some(carried(result)))
    }))
  })

  it("is rejected when a field is missing or has the wrong type, plain or not", () => {
    const field = fc.constantFrom(...Object.keys(CheckResult.fields))
    const wrong = fc.oneof(fc.constant(undefined), fc.constant(null), fc.jsonValue())
    fc.assert(
      fc.property(fc.oneof(results, plain), field, wrong, (result, name, value) => {
        const message = JSON.parse(JSON.stringify({ ...result, [name]: value }))
        expect(Option.isSome(resultWire.decode(bytesOf(message)))).toBe(isResult(message))
        if (isPlainResult(message)) expect(isResult(message)).toBe(true)
      }),
      { numRuns: 1_000 }
    )
  })

  it("is rejected when it cannot be parsed", () => {
    for (const text of ["", "{", "null", "[]", "1", "\"up\""]) expect(resultWire.decode(Buffer.from(text))).toEqual(Option.none())
    expect(resultWire.decode(null)).toEqual(Option.none())
  })

  it("is rejected before it is parsed when it has more values, or is nested deeper, than any of ours", () => {
    const [one] = fc.sample(plain, { numRuns: 1, seed: 1 })
    const decoded = (more: unknown) => Option.isSome(resultWire.decode(bytesOf({ ...carriedRecord(one), more })))
    const deep = (levels: number) => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`)
    expect([decoded(Array(90_000).fill(1)), decoded(Array(100_001).fill(1))]).toEqual([true, false])
    const padding = "0".repeat(20_000)
    expect([decoded([padding, deep(60)]), decoded([padding, deep(70)])]).toEqual([true, false])
  })
})
