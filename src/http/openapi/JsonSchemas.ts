/** Cleans up JSON Schemas for readers: removes titles and descriptions that the generator adds. */
import { Predicate, Struct } from "effect"
import { untrustedTitle } from "../../../schema/Fields.ts"

/** Generated texts such as `maxLength(120)` or "a string at most 120 character(s) long" only repeat keywords. */
const generated: Readonly<Record<string, RegExp>> = {
  title: /^[A-Za-z]+(?:\(.*\))?$/s,
  description: /^(?:a|an) (?:string|number|integer|boolean|non-empty|positive|array|finite|non-negative)\b/i
}

const isNoise = (name: string, value: unknown, parent: Readonly<Record<string, unknown>>) =>
  typeof value === "string" && "type" in parent && (generated[name]?.test(value) ?? false)

/** Schemas named by Effect, inlined because the name tells readers less than the schema. */
const builtIn: Readonly<Record<string, unknown>> = { Int: { type: "integer" } }

const inPlace = ({ $ref }: Readonly<Record<string, unknown>>) =>
  typeof $ref === "string" ? builtIn[$ref.slice($ref.lastIndexOf("/") + 1)] : undefined

type JsonObject = Readonly<Record<string, unknown>>

/** Applies `change` to every object in a JSON value, outermost first. */
const rewritten = (value: unknown, change: (one: JsonObject) => JsonObject): unknown => {
  if (Array.isArray(value)) return value.map((item) => rewritten(item, change))
  if (!Predicate.isRecord(value)) return value
  return Object.fromEntries(Object.entries(change(value)).map(([name, inner]) => [name, rewritten(inner, change)]))
}

const withoutNoise = (one: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(one).filter(([name, value]) => !isNoise(name, value, one)))

const withoutBuiltIn = (one: JsonObject): JsonObject => {
  const stands = inPlace(one)
  return Predicate.isRecord(stands) ? stands : one
}

/** Writes a reference beside its description, without the generator's `allOf`. */
const withPlainReference = (one: JsonObject): JsonObject => {
  const { allOf, ...beside } = one
  return Array.isArray(allOf) && allOf.length === 1 ? { ...withoutBuiltIn(allOf[0]), ...beside } : one
}

/** Writes maps with `additionalProperties` instead of the generator's `patternProperties`, which many clients do not support. */
const withPlainMaps = (one: JsonObject): JsonObject => {
  const { patternProperties: patterns, properties, required: _, ...rest } = one
  const [any, ...others] = Predicate.isRecord(patterns) ? Object.entries(patterns) : []
  const isMap = any?.[0] === "" && others.length === 0 && Predicate.isRecord(properties) && Object.keys(properties).length === 0
  return isMap ? { ...rest, additionalProperties: any[1] } : one
}

/** Text that a target or a stranger wrote, which a program must not take as instructions, nor as markup. */
const withMark = (one: JsonObject): JsonObject => {
  const { title, ...rest } = one
  return title === untrustedTitle ? { ...rest, "x-untrusted": true } : one
}

/** A copy without generated texts. A property named `title` is a schema, not a text, and is kept. */
export const tidy = (schema: unknown): unknown =>
  rewritten(schema, (one) => withPlainMaps(withMark(withoutNoise(withoutBuiltIn(withPlainReference(one))))))

/** Records repeat addresses as they were given, with characters that a strict URI escapes, or with their secret parts hidden. */
export const withoutUriFormat = (schema: unknown): unknown =>
  rewritten(schema, (one) => one["format"] === "uri" ? Struct.omit(one, "format") : one)
