/** The compiled codecs give what the library's give, for each form that the schema of an answer can have. */
import { Arbitrary, FastCheck, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { compiledDecoder, compiledEncoder } from "../../schema/CompiledCodecs.ts"
import { optional, Timestamp } from "../../schema/Fields.ts"

const Name = Schema.String.pipe(Schema.pattern(/^[a-z]{1,9}$/))
const Id = Schema.String.pipe(Schema.brand("Id"))
const Inner = Schema.Struct({ id: Id, at: Timestamp, note: optional(Schema.String) }).annotations({ identifier: "Inner" })
const Dot = Schema.Struct({ kind: Schema.Literal("dot"), at: Timestamp })
const Line = Schema.Struct({ kind: Schema.Literal("line"), ends: Schema.Array(Timestamp) })

const forms = {
  "texts, numbers and literals": Schema.Struct({
    a: Id,
    b: Schema.Int,
    c: Schema.Literal("up", "down"),
    d: Schema.NullOr(Schema.Boolean)
  }),
  "times, missing ones too": Schema.Struct({ at: Timestamp, or: Schema.NullOr(Timestamp), perhaps: optional(Timestamp) }),
  "lists and structs in structs": Schema.Struct({
    data: Schema.Array(Inner),
    one: Schema.NullOr(Inner),
    next: Schema.NullOr(Id)
  }),
  "records": Schema.Struct({
    times: Schema.Record({ key: Name, value: Timestamp }),
    texts: Schema.Record({ key: Name, value: Schema.NullOr(Schema.String) })
  }),
  "a struct or a text": Schema.Struct({ value: Schema.Union(Inner, Schema.String) }),
  "several structs": Schema.Struct({ shapes: Schema.Array(Schema.Union(Dot, Line)) }),
  "pairs": Schema.Struct({ pair: Schema.Tuple(Timestamp, Schema.Int) }),
  "other transformations": Schema.Struct({
    day: Schema.Date,
    count: Schema.NumberFromString,
    own: Schema.OptionFromNullOr(Inner)
  })
}

describe("the compiled encoder", () => {
  it.each(Object.entries(forms))("encodes %s as the library does", (_, form) => {
    const answer: Schema.Schema.AnyNoContext = form
    const encode = compiledEncoder(answer.ast)
    const library = Schema.encodeUnknownSync(answer)
    FastCheck.assert(
      FastCheck.property(Arbitrary.make(Schema.typeSchema(answer)), (value) => {
        expect(encode(value)).toEqual(library(value))
      }),
      { numRuns: 50 }
    )
  })

  it("leaves out what the schema does not name, as of a row with more columns", () => {
    const encode = compiledEncoder(Schema.Struct({ id: Id, own: Schema.NullOr(Schema.Struct({ name: Schema.String })) }).ast)
    expect(encode({ id: "a", secret: "b", own: { name: "c", secret: "d" } })).toEqual({ id: "a", own: { name: "c" } })
  })
})

/** Arbitrary times are in years of six digits, which inputs refuse. */
const shortYears = (text: string): string => text.replaceAll(/"[+-]\d\d(\d{4}-\d\d-\d\dT)/g, "\"$1")

describe("the compiled decoder", () => {
  it.each(Object.entries(forms))("decodes %s as the library does", (_, form) => {
    const answer: Schema.Schema.AnyNoContext = form
    const decode = compiledDecoder(answer.ast)
    const encode = Schema.encodeUnknownSync(answer)
    const library = Schema.decodeUnknownSync(answer)
    FastCheck.assert(
      FastCheck.property(Arbitrary.make(Schema.typeSchema(answer)), (value) => {
        const text = shortYears(JSON.stringify(encode(value)))
        expect(decode(JSON.parse(text))).toEqual(library(JSON.parse(text)))
      }),
      { numRuns: 50 }
    )
  })
})
