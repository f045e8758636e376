/** Describes a JSON Schema for the tables of the reference: its type and its limits. */
import { Array, Predicate } from "effect"

export type JsonSchema = Readonly<Record<string, unknown>>

/** One word of a type. The page links a word with a `schema` to the description of that schema. */
export interface TypeWord {
  readonly word: string
  readonly schema?: string
}

export const isSchema = (value: unknown): value is JsonSchema => Predicate.isRecord(value) && !globalThis.Array.isArray(value)

const schemasOf = (value: unknown): ReadonlyArray<JsonSchema> => (globalThis.Array.isArray(value) ? value.filter(isSchema) : [])

const plain = (word: string): ReadonlyArray<TypeWord> => [{ word }]

const joined = (parts: ReadonlyArray<ReadonlyArray<TypeWord>>, separator: string): ReadonlyArray<TypeWord> =>
  parts.flatMap((part, index) => (index === 0 ? part : [{ word: separator }, ...part]))

const formats: Readonly<Record<string, string>> = { "date-time": "timestamp", uri: "URL", email: "email address" }

const formatOf = ({ format }: JsonSchema) => (Predicate.isString(format) ? formats[format] ?? format : "string")

const named = ({ $ref }: JsonSchema): string | null => (Predicate.isString($ref) ? $ref.slice($ref.lastIndexOf("/") + 1) : null)

/** An object without fixed field names is a map. */
const mapWords = ({ additionalProperties: value }: JsonSchema): ReadonlyArray<TypeWord> =>
  isSchema(value) ? [{ word: "map of string to " }, ...typeWords(value)] : plain("object")

/** The type of a value, such as `list of Assertion` or `integer or null`. */
export const typeWords = (schema: JsonSchema): ReadonlyArray<TypeWord> => {
  const name = named(schema)
  if (name !== null) return [{ word: name, schema: name }]
  const [inner] = schemasOf(schema["allOf"])
  if (inner !== undefined) return typeWords(inner)
  const members = [...schemasOf(schema["anyOf"]), ...schemasOf(schema["oneOf"])]
  if (members.length > 0) return joined(members.map(typeWords), " or ")
  if (globalThis.Array.isArray(schema["enum"])) return plain("one of")
  switch (schema["type"]) {
    case "array":
      return isSchema(schema["items"]) ? [{ word: "list of " }, ...typeWords(schema["items"])] : plain("list")
    case "object":
      return mapWords(schema)
    case "integer":
      return plain("integer")
    case "boolean":
      return plain("boolean")
    case "string":
      return plain(formatOf(schema))
    default:
      return plain(Predicate.isString(schema["type"]) ? schema["type"] : "any")
  }
}

const range = (min: unknown, max: unknown, unit: string): ReadonlyArray<string> => {
  if (Predicate.isNumber(min) && Predicate.isNumber(max)) return [`${min}–${max}${unit}`]
  if (Predicate.isNumber(max)) return [`at most ${max}${unit}`]
  return Predicate.isNumber(min) ? [`at least ${min}${unit}`] : []
}

/** The limits of a value, such as `1–120 characters`, including those of union members and list items. */
export const limitWords = (schema: JsonSchema): ReadonlyArray<string> => {
  const { enum: values, items, maxItems, maxLength, maximum, minItems, minLength, minimum, pattern } = schema
  const members = [...schemasOf(schema["anyOf"]), ...schemasOf(schema["oneOf"]), ...schemasOf(schema["allOf"])]
  return Array.dedupe([
    ...(globalThis.Array.isArray(values) ? [values.map(String).join(", ")] : []),
    ...range(minimum, maximum, ""),
    ...(minLength === 1 && maxLength === undefined ? ["not empty"] : range(minLength, maxLength, " characters")),
    ...range(minItems, maxItems, " items"),
    ...(Predicate.isString(pattern) && pattern !== "\\S" ? [`matches ${pattern}`] : []),
    ...(isSchema(items) ? limitWords(items).map((words) => `each ${words}`) : []),
    ...members.flatMap(limitWords)
  ])
}

/** A table row for a field of an object. The fields of an unnamed nested object follow with dotted names. */
export interface FieldRow {
  readonly name: string
  readonly required: boolean
  readonly type: ReadonlyArray<TypeWord>
  readonly limits: ReadonlyArray<string>
  readonly description: string
}

const describedAs = ({ description }: JsonSchema) => (Predicate.isString(description) ? description : "")

const insideOf = (schema: JsonSchema): JsonSchema => {
  const member = schemasOf(schema["anyOf"]).find((one) => isSchema(one["properties"]))
  return isSchema(schema["items"]) ? insideOf(schema["items"]) : member ?? schema
}

/** The rows of an object; `prefix` is the path to its fields. */
export const fieldRows = (schema: JsonSchema, prefix = ""): ReadonlyArray<FieldRow> => {
  const { properties, required } = schema
  if (!isSchema(properties)) return []
  const needed = globalThis.Array.isArray(required) ? required : []
  return Object.entries(properties).filter((entry): entry is [string, JsonSchema] => isSchema(entry[1])).flatMap((
    [name, field]
  ) => [
    {
      name: `${prefix}${name}`,
      required: needed.includes(name),
      type: typeWords(field),
      limits: limitWords(field),
      description: describedAs(field)
    },
    ...fieldRows(insideOf(field), `${prefix}${name}.`)
  ])
}
