/** A JSON Schema in the words of a reference table: its type, and what a value must keep to. */
import { Array, Predicate } from "effect"

export type JsonSchema = Readonly<Record<string, unknown>>

/** A word of a type; one with a `schema` leads to where that is described. */
export interface TypeWord {
  readonly word: string
  readonly schema?: string
}

export const isSchema = (value: unknown): value is JsonSchema => Predicate.isRecord(value) && !globalThis.Array.isArray(value)

const schemasOf = (value: unknown): ReadonlyArray<JsonSchema> => (globalThis.Array.isArray(value) ? value.filter(isSchema) : [])

const plain = (word: string): ReadonlyArray<TypeWord> => [{ word }]

const joined = (parts: ReadonlyArray<ReadonlyArray<TypeWord>>, by: string): ReadonlyArray<TypeWord> =>
  parts.flatMap((part, index) => (index === 0 ? part : [{ word: by }, ...part]))

const formats: Readonly<Record<string, string>> = { "date-time": "time", uri: "URL", email: "mail address" }

const formatOf = ({ format }: JsonSchema) => (Predicate.isString(format) ? formats[format] ?? format : "text")

const named = ({ $ref }: JsonSchema): string | null => (Predicate.isString($ref) ? $ref.slice($ref.lastIndexOf("/") + 1) : null)

/** An object of any names is a map. */
const mapWords = ({ additionalProperties: value }: JsonSchema): ReadonlyArray<TypeWord> =>
  isSchema(value) ? [{ word: "map of text to " }, ...typeWords(value)] : plain("object")

/** The type of a value, such as `list of Assertion` or `whole number or null`. */
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
      return plain("whole number")
    case "boolean":
      return plain("true or false")
    case "string":
      return plain(formatOf(schema))
    default:
      return plain(Predicate.isString(schema["type"]) ? schema["type"] : "anything")
  }
}

const range = (min: unknown, max: unknown, unit: string): ReadonlyArray<string> => {
  if (Predicate.isNumber(min) && Predicate.isNumber(max)) return [`${min}–${max}${unit}`]
  if (Predicate.isNumber(max)) return [`at most ${max}${unit}`]
  return Predicate.isNumber(min) ? [`at least ${min}${unit}`] : []
}

/** What a value must keep to, such as `1–120 characters`. Those of the members of a union and of a list's items count too. */
export const limitWords = (schema: JsonSchema): ReadonlyArray<string> => {
  const { enum: values, items, maxItems, maxLength, maximum, minItems, minLength, minimum, pattern } = schema
  const members = [...schemasOf(schema["anyOf"]), ...schemasOf(schema["oneOf"]), ...schemasOf(schema["allOf"])]
  return Array.dedupe([
    ...(globalThis.Array.isArray(values) ? [values.map(String).join(", ")] : []),
    ...range(minimum, maximum, ""),
    ...range(minLength, maxLength, " characters"),
    ...range(minItems, maxItems, " items"),
    ...(Predicate.isString(pattern) && pattern !== "\\S" ? [`matches ${pattern}`] : []),
    ...(isSchema(items) ? limitWords(items).map((words) => `each ${words}`) : []),
    ...members.flatMap(limitWords)
  ])
}

/** A field of an object as a row; fields of an unnamed object inside it follow under a dotted name. */
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

/** The rows of an object; `prefix` is how its own fields are reached. */
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
