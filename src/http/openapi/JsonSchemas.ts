/** JSON Schemas as people read them: without the notes and names that the generator makes up. */
import { Predicate } from "effect"

/** `maxLength(120)` and "a string at most 120 character(s) long" only repeat what `maxLength` says. */
const generated: Readonly<Record<string, RegExp>> = {
  title: /^[A-Za-z]+(?:\(.*\))?$/s,
  description: /^(?:a|an) (?:string|number|integer|non-empty|positive|array|finite|non-negative)\b/i
}

const isNoise = (name: string, value: unknown, parent: Readonly<Record<string, unknown>>) =>
  typeof value === "string" && "type" in parent && (generated[name]?.test(value) ?? false)

/** A name that Effect gives to a schema of its own, and that tells a reader less than what it stands for. */
const builtIn: Readonly<Record<string, unknown>> = { Int: { type: "integer" } }

const inPlace = ({ $ref }: Readonly<Record<string, unknown>>) =>
  typeof $ref === "string" ? builtIn[$ref.slice($ref.lastIndexOf("/") + 1)] : undefined

type JsonObject = Readonly<Record<string, unknown>>

/** Applies `change` to every object of a JSON value, the outermost first. */
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

/** A map of names to values, which the generator writes as properties of any name; many clients know this form alone. */
const withPlainMaps = (one: JsonObject): JsonObject => {
  const { patternProperties: patterns, properties, required: _, ...rest } = one
  const [any, ...others] = Predicate.isRecord(patterns) ? Object.entries(patterns) : []
  const isMap = any?.[0] === "" && others.length === 0 && Predicate.isRecord(properties) && Object.keys(properties).length === 0
  return isMap ? { ...rest, additionalProperties: any[1] } : one
}

/**
 * A copy without the generator's notes, however deep they are, with Effect's own schemas written out and maps as maps. A
 * property that happens to be named `title` is a schema, no text, and stays.
 */
export const tidy = (schema: unknown): unknown => rewritten(schema, (one) => withPlainMaps(withoutNoise(withoutBuiltIn(one))))
