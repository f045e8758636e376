/** Inputs of a given size that are as expensive as a stranger can make them, and the fields that they aim at. */
import { Option } from "effect"
import type { PartSchema } from "../../../src/http/openapi/Operations.ts"
import { shapeOf } from "../../../src/http/request/ClippedInput.ts"

/** The names of the fields that a part of an input takes. */
export const fieldsOf = (part: Option.Option<PartSchema>): ReadonlyArray<string> =>
  Option.match(part, {
    onNone: () => [],
    onSome: ({ ast }) => [...shapeOf(ast).members?.known.keys() ?? []]
  })

/** An object with so many fields. */
export const numbered = (count: number, of: (index: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, of(index)]))

/** Objects of a size, each hostile in its own way. */
export const attacks: Readonly<Record<string, (fields: ReadonlyArray<string>, size: number) => object>> = {
  "unknown fields": (_, size) => numbered(size, () => 1),
  "unknown fields that resemble a known one": (fields, size) =>
    Object.fromEntries(Array.from({ length: size }, (_, index) => [`${fields[index % fields.length] ?? "x"}${index}`, 1])),
  "a long text in every field": (fields, size) =>
    Object.fromEntries(fields.map((field) => [field, `a@${".".repeat(size * 8)} `])),
  "a long list in every field": (fields, size) =>
    Object.fromEntries(
      fields.map((field) => [field, Array.from({ length: Math.ceil(size / fields.length) }, () => ({ a: "." }))])
    ),
  "a large map in every field": (fields, size) =>
    Object.fromEntries(fields.map((field) => [field, numbered(Math.ceil(size / fields.length), () => ({ a: "." }))]))
}
