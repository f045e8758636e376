/** Makes an example of a JSON Schema out of the examples that its fields carry, so that nobody writes a body twice. */
import { Array, Option, Predicate } from "effect"

type JsonSchema = Readonly<Record<string, unknown>>

/** The schemas that a `$ref` may name, by name. */
export type Definitions = Readonly<Record<string, unknown>>

/** A request shows what an author chose to show of the optional fields; an answer shows all that has something to show. */
export type Purpose = "request" | "answer"

export interface Example {
  readonly value: unknown
  /** Dotted paths of the texts that nobody has given an example of. */
  readonly gaps: ReadonlyArray<string>
}

interface Surroundings {
  readonly definitions: Definitions
  readonly purpose: Purpose
  readonly path: ReadonlyArray<string>
}

const isSchema = (value: unknown): value is JsonSchema => Predicate.isRecord(value) && !globalThis.Array.isArray(value)

const listOf = (value: unknown): ReadonlyArray<JsonSchema> => globalThis.Array.isArray(value) ? value.filter(isSchema) : []

const propertiesOf = (schema: JsonSchema): ReadonlyArray<readonly [string, JsonSchema]> =>
  isSchema(schema["properties"])
    ? Object.entries(schema["properties"]).filter((entry): entry is [string, JsonSchema] => isSchema(entry[1]))
    : []

const isRequired = (schema: JsonSchema, name: string) =>
  globalThis.Array.isArray(schema["required"]) && schema["required"].includes(name)

/** What a `$ref` stands for; what is said beside it counts more. */
export const resolved = (schema: JsonSchema, definitions: Definitions): JsonSchema => {
  const [only] = listOf(schema["allOf"])
  const named = only === undefined ? schema : { ...only, ...schema }
  const reference = named["$ref"]
  if (!Predicate.isString(reference)) return named
  const target = definitions[reference.slice(reference.lastIndexOf("/") + 1)]
  const { $ref: _, ...beside } = named
  return isSchema(target) ? { ...resolved(target, definitions), ...beside } : beside
}

const given = (schema: JsonSchema): Option.Option<unknown> =>
  globalThis.Array.isArray(schema["examples"]) && schema["examples"].length > 0
    ? Option.some(schema["examples"][0])
    : Option.none()

const alternatives = (schema: JsonSchema) => [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])]

const isNull = (schema: JsonSchema) => schema["type"] === "null"

/** Whether an author gave an example of this very field. */
const isShown = (schema: JsonSchema): boolean => Option.isSome(given(schema)) || alternatives(schema).some(isShown)

/** Whether there is anything to show of it, however deep. */
const isTelling = (schema: JsonSchema, definitions: Definitions): boolean => {
  const known = resolved(schema, definitions)
  return Option.isSome(given(known)) ||
    alternatives(known).some((one) => isTelling(one, definitions)) ||
    (isSchema(known["items"]) && isTelling(known["items"], definitions)) ||
    propertiesOf(known).some(([name, property]) => isRequired(known, name) && isTelling(property, definitions))
}

/** Texts that their format alone gives an example of. */
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

const object = (schema: JsonSchema, around: Surroundings): Example => {
  const parts = propertiesOf(schema)
    .filter(([name, property]) =>
      isRequired(schema, name) ||
      (around.purpose === "request" ? isShown(property) : isTelling(property, around.definitions))
    )
    .map(([name, property]) => [name, exampleAt(property, { ...around, path: [...around.path, name] })] as const)
  return whole(
    Object.fromEntries(parts.map(([name, { value }]) => [name, value])),
    parts.flatMap(([, { gaps }]) => gaps)
  )
}

const array = ({ items, minItems }: JsonSchema, around: Surroundings): Example => {
  if (!isSchema(items) || (!isTelling(items, around.definitions) && !Predicate.isNumber(minItems))) return whole([])
  const item = exampleAt(items, { ...around, path: [...around.path, "0"] })
  return whole([item.value], item.gaps)
}

const union = (members: ReadonlyArray<JsonSchema>, around: Surroundings): Example => {
  const telling = members.find((member) => !isNull(member) && isTelling(member, around.definitions))
  const nothing = members.find(isNull)
  return exampleAt(telling ?? nothing ?? members[0] ?? {}, around)
}

const exampleAt = (schema: JsonSchema, around: Surroundings): Example => {
  const known = resolved(schema, around.definitions)
  const ready = given(known)
  if (Option.isSome(ready)) return whole(ready.value)
  if ("const" in known) return whole(known["const"])
  if (globalThis.Array.isArray(known["enum"])) return whole(known["enum"][0])
  if (Option.isSome(Array.head(alternatives(known)))) return union(alternatives(known), around)
  switch (known["type"]) {
    case "object":
      return object(known, around)
    case "array":
      return array(known, around)
    case "boolean":
      return whole(true)
    case "integer":
    case "number":
      return whole(number(known))
    case "null":
      return whole(null)
    case "string": {
      const text = byFormat[String(known["format"])]
      return text === undefined ? whole("text", [around.path.join(".")]) : whole(text)
    }
    default:
      return whole({})
  }
}

/** An example of a schema, and where it had to make one up. */
export const exampleOf = (schema: unknown, definitions: Definitions, purpose: Purpose): Example =>
  exampleAt(isSchema(schema) ? schema : {}, { definitions, purpose, path: [] })
