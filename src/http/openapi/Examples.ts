/** Builds an example of a JSON Schema from the examples of its fields. */
import { Array, Option, Predicate } from "effect"

type JsonSchema = Readonly<Record<string, unknown>>

/** The schemas that a `$ref` can name, by name. */
export type Definitions = Readonly<Record<string, unknown>>

/** Request examples include optional fields with their own example; answer examples include every field with one inside. */
type Purpose = "request" | "answer"

export interface Example {
  readonly value: unknown
  /** Dotted paths of strings without an example. */
  readonly gaps: ReadonlyArray<string>
}

interface Context {
  readonly definitions: Definitions
  readonly purpose: Purpose
  readonly path: ReadonlyArray<string>
}

const listOf = (value: unknown): ReadonlyArray<JsonSchema> =>
  globalThis.Array.isArray(value) ? value.filter(Predicate.isRecord) : []

const propertiesOf = (schema: JsonSchema): ReadonlyArray<readonly [string, JsonSchema]> =>
  Predicate.isRecord(schema["properties"])
    ? Object.entries(schema["properties"]).filter((entry): entry is [string, JsonSchema] => Predicate.isRecord(entry[1]))
    : []

const isRequired = (schema: JsonSchema, name: string) =>
  globalThis.Array.isArray(schema["required"]) && schema["required"].includes(name)

/** Resolves a `$ref`; its sibling keywords take precedence over the target's. */
export const resolved = (schema: JsonSchema, definitions: Definitions): JsonSchema => {
  const [only] = listOf(schema["allOf"])
  const named = only === undefined ? schema : { ...only, ...schema }
  const reference = named["$ref"]
  if (!Predicate.isString(reference)) return named
  const target = definitions[reference.slice(reference.lastIndexOf("/") + 1)]
  const { $ref: _, ...beside } = named
  return Predicate.isRecord(target) ? { ...resolved(target, definitions), ...beside } : beside
}

const given = (schema: JsonSchema): Option.Option<unknown> =>
  globalThis.Array.isArray(schema["examples"]) && schema["examples"].length > 0
    ? Option.some(schema["examples"][0])
    : Option.none()

const alternatives = (schema: JsonSchema) => [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])]

const isNull = (schema: JsonSchema) => schema["type"] === "null"

const hasOwnExample = (schema: JsonSchema): boolean => Option.isSome(given(schema)) || alternatives(schema).some(hasOwnExample)

/** Whether the schema or any of its required parts has an example. */
const hasExample = (schema: JsonSchema, definitions: Definitions): boolean => {
  const known = resolved(schema, definitions)
  return Option.isSome(given(known)) ||
    alternatives(known).some((one) => hasExample(one, definitions)) ||
    (Predicate.isRecord(known["items"]) && hasExample(known["items"], definitions)) ||
    propertiesOf(known).some(([name, property]) => isRequired(known, name) && hasExample(property, definitions))
}

const byFormat: Readonly<Record<string, string>> = {
  "date-time": "2026-11-20T08:00:00.000Z",
  date: "2026-11-20",
  uri: "https://shop.example.com/health",
  email: "ops@example.com"
}

const number = ({ default: usual, maximum, minimum }: JsonSchema): number =>
  Predicate.isNumber(usual)
    ? usual
    : Predicate.isNumber(minimum)
    ? minimum
    : Math.min(1, Predicate.isNumber(maximum) ? maximum : 1)

const whole = (value: unknown, gaps: ReadonlyArray<string> = []): Example => ({ value, gaps })

const object = (schema: JsonSchema, context: Context): Example => {
  const parts = propertiesOf(schema)
    .filter(([name, property]) =>
      isRequired(schema, name) ||
      (context.purpose === "request" ? hasOwnExample(property) : hasExample(property, context.definitions))
    )
    .map(([name, property]) => [name, exampleAt(property, { ...context, path: [...context.path, name] })] as const)
  return whole(
    Object.fromEntries(parts.map(([name, { value }]) => [name, value])),
    parts.flatMap(([, { gaps }]) => gaps)
  )
}

const array = ({ items, minItems }: JsonSchema, context: Context): Example => {
  if (!Predicate.isRecord(items) || (!hasExample(items, context.definitions) && !Predicate.isNumber(minItems))) return whole([])
  const item = exampleAt(items, { ...context, path: [...context.path, "0"] })
  return whole([item.value], item.gaps)
}

const union = (members: ReadonlyArray<JsonSchema>, context: Context): Example => {
  const preferred = members.find((member) => !isNull(member) && hasExample(member, context.definitions))
  const nothing = members.find(isNull)
  return exampleAt(preferred ?? nothing ?? members[0] ?? {}, context)
}

const exampleAt = (schema: JsonSchema, context: Context): Example => {
  const known = resolved(schema, context.definitions)
  const ready = given(known)
  if (Option.isSome(ready)) return whole(ready.value)
  if ("const" in known) return whole(known["const"])
  if (globalThis.Array.isArray(known["enum"])) return whole(known["enum"][0])
  if (Option.isSome(Array.head(alternatives(known)))) return union(alternatives(known), context)
  switch (known["type"]) {
    case "object":
      return object(known, context)
    case "array":
      return array(known, context)
    case "boolean":
      return whole(true)
    case "integer":
    case "number":
      return whole(number(known))
    case "null":
      return whole(null)
    case "string": {
      const text = byFormat[String(known["format"])]
      return text === undefined ? whole("text", [context.path.join(".")]) : whole(text)
    }
    default:
      return whole({})
  }
}

export const exampleOf = (schema: unknown, definitions: Definitions, purpose: Purpose): Example =>
  exampleAt(Predicate.isRecord(schema) ? schema : {}, { definitions, purpose, path: [] })
