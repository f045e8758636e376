/** Which messages of the bus are valid and which are not. */
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, FastCheck as fc, Option, Schema } from "effect"
import { Beat, CheckResult } from "../../schema/check/Bus.ts"
import { isPlainResult } from "../../src/bus/PlainResult.ts"
import { beatWire, resultWire } from "../../src/bus/Wire.ts"

const results = Arbitrary.make(CheckResult)
const plain = results.map((result): CheckResult => ({ ...result, error: null, cause: null, evidence: null }))
const isResult = Schema.is(CheckResult)

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))
/** Values that survive JSON: no negative zero, no infinity. */
const carried = (result: CheckResult): unknown => JSON.parse(JSON.stringify(result))

describe("a result on the wire", () => {
  it("is read as it was sent, in plain form and with evidence", () => {
    fc.assert(fc.property(fc.oneof(results, plain), (result) => {
      fc.pre(isResult(carried(result)))
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
})

describe("a beat on the wire", () => {
  const earlier = { region: "eu", workerId: "w1", at: 1, healthy: true, reason: null, monitors: 3 }
  const later = { ...earlier, looks: 120, looksLate: 2, latenessP99Ms: 240 }

  it("is read with and without its lateness, which workers of earlier versions do not send", () => {
    for (const beat of [earlier, later]) expect(beatWire.decode(bytesOf(beat))).toEqual(Option.some(beat))
  })

  it("is read by runners that know no lateness", () => {
    const { latenessP99Ms: _, looks: __, looksLate: ___, ...known } = Beat.fields
    expect(Schema.decodeUnknownOption(Schema.Struct(known))(later)).toEqual(Option.some(earlier))
  })
})
