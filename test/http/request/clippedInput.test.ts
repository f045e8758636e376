/** No input of the registry is unbounded, and an oversized one is cut before anything expensive sees it. */
import { describe, expect, it } from "@effect/vitest"
import { Either, Option, Schema } from "effect"
import fc from "fast-check"
import { httpUrl, list, name, optional, text, whole } from "../../../schema/Fields.ts"
import { allOperations } from "../../../src/http/openapi/Operations.ts"
import { clippedFor, type Shape, shapeOf } from "../../../src/http/request/ClippedInput.ts"

const unboundedIn = (shape: Shape, path: string): ReadonlyArray<string> => [
  ...(shape.items === null ? [] : [
    ...(shape.items.most === Infinity ? [`${path} is a list`] : []),
    ...unboundedIn(shape.items.item, `${path}[]`)
  ]),
  ...(shape.members === null ? [] : [
    ...(shape.members.others.most === Infinity ? [`${path} is a map`] : []),
    ...unboundedIn(shape.members.others.shape, `${path}{}`),
    ...[...shape.members.known].flatMap(([field, inner]) => unboundedIn(inner, `${path}.${field}`))
  ])
]

const Input = Schema.Struct({
  name: name(10),
  url: optional(httpUrl(20)),
  items: optional(list(Schema.Struct({ word: text(5) }), 3)),
  map: optional(Schema.Record({ key: text(4), value: Schema.NullOr(text(4)) })),
  either: optional(Schema.Union(text(5), whole(1, 9), list(text(2), 2)))
})
const clipped = clippedFor(Input.ast)
const decode = Schema.decodeUnknownEither(Input, { errors: "all", onExcessProperty: "error" })

describe("an input", () => {
  const payloads = allOperations.flatMap(({ id, payload }) => Option.toArray(payload).map((part) => [id, part] as const))
  it.each(payloads)("of %s has an upper bound for each list and map", (id, part) => {
    expect(unboundedIn(shapeOf(part.ast), id)).toEqual([])
  })

  it("is left alone where nothing in it is too large", () => {
    const small = { name: "a", items: [{ word: "x" }], map: { a: null }, either: ["a"] }
    expect(clipped(small)).toBe(small)
  })

  it("is cut to one more than its schema takes", () => {
    expect(clipped({
      name: "n".repeat(1000),
      items: [{ word: "w".repeat(99) }, ...Array.from({ length: 99 }, () => ({ word: "x" }))],
      either: Array.from({ length: 99 }, () => "long")
    })).toEqual({
      name: "n".repeat(11),
      items: [{ word: "w".repeat(6) }, { word: "x" }, { word: "x" }, { word: "x" }],
      either: ["lon", "lon", "lon"]
    })
  })

  it("keeps the known fields and a few of the others", () => {
    const others = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`other${index}`, 1]))
    const kept = clipped({ ...others, name: "a" })
    expect(Object.keys(kept as object).length).toBe(52)
    expect(kept).toMatchObject({ name: "a" })
  })

  it("is accepted, cut or not, exactly when it was acceptable before", () => {
    const value = fc.oneof(fc.string({ maxLength: 30 }), fc.integer(), fc.array(fc.string({ maxLength: 8 }), { maxLength: 6 }))
    const given = fc.record({
      name: fc.string({ maxLength: 20 }),
      url: fc.constantFrom("https://a.b", `https://a.b/${"x".repeat(30)}`),
      items: fc.array(fc.record({ word: fc.string({ maxLength: 8 }) }), { maxLength: 6 }),
      map: fc.dictionary(fc.string({ maxLength: 6 }), fc.option(fc.string({ maxLength: 6 })), { maxKeys: 5 }),
      either: value
    }, { requiredKeys: ["name"] })
    fc.assert(fc.property(given, (input) => {
      expect(Either.isRight(decode(clipped(input)))).toBe(Either.isRight(decode(input)))
    }))
  })
})
