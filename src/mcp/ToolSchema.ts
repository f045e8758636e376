/**
 * Writes the input of a tool in few words, because clients put all tools into each prompt. Types, choices and the ranges of numbers
 * stay. Lengths and patterns of text do not: the refusal and `belltower://operations/{name}` say them.
 */
import { JSONSchema, Option, Predicate, Record } from "effect"
import { tidy } from "../http/openapi/JsonSchemas.ts"
import type { Operation, PartSchema } from "../http/openapi/Operations.ts"
import { saysName } from "./SaysName.ts"
import { withSignature } from "./Signature.ts"

export type JsonObject = Readonly<Record<string, unknown>>

/** A tool's input: flat, as the API merges path, query and body. */
export interface ToolInput {
  readonly properties: Readonly<Record<string, JsonObject>>
  readonly required: ReadonlyArray<string>
}

const objectsIn = (value: unknown): Readonly<Record<string, JsonObject>> =>
  Predicate.isRecord(value)
    ? Object.fromEntries(Object.entries(value).filter((entry): entry is [string, JsonObject] => Predicate.isRecord(entry[1])))
    : {}

/** Keywords that a model need not read: a description says the form of a text, or the refusal does. */
const unneededWords: ReadonlySet<string> = new Set([
  "title",
  "examples",
  "minLength",
  "maxLength",
  "pattern",
  "propertyNames",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties"
])

/** Dates keep their format; that of an address is in its name. */
const isUnneeded = (name: string, value: unknown): boolean =>
  unneededWords.has(name) || (name === "additionalProperties" && value === false) ||
  (name === "format" && value !== "date" && value !== "date-time") ||
  (name === "required" && Array.isArray(value) && value.length === 0) ||
  (name === "minimum" && (value === 0 || value === 1)) ||
  (name === "maximum" && Number(value) > 1000)

/** `Starts with mon_ and sorts by creation time` becomes `mon_...`. */
const idDescription = /^Starts with (\w+)_ and sorts by creation time$/

/** A description that the format of a time already gives. */
const formatDescription = /^ISO 8601 in UTC(?: with milliseconds|, ending in Z)$/

const upper = (_: string, first: string): string => first.toUpperCase()

/** A flag is asked whether, and is false by default. */
const flagWords = (text: string): string =>
  text.replace(/^(?:Whether|Only) (\w)/, upper).replace(/(?:^D|[;,] d)efault false$/, "")

const shortened = (name: string, value: unknown, isFlag: boolean): unknown =>
  name !== "description" || typeof value !== "string"
    ? value
    : isFlag
    ? flagWords(value)
    : value.replace(idDescription, "$1_...").replace(/^(?:Only|IANA zone(?: of \w+ \w+)?;) (\w)/, upper)

/** The member of `anyOf [member, null]`; null for any other schema. */
const nullableMember = ({ anyOf }: JsonObject): JsonObject | null => {
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return null
  const [member, nothing] = anyOf.filter(Predicate.isRecord)
  return member !== undefined && nothing?.["type"] === "null" && Predicate.isString(member["type"]) ? member : null
}

/** Writes `anyOf [x, null]` as `type: [x, null]`. */
const withNullType = (schema: JsonObject): JsonObject => {
  const member = nullableMember(schema)
  if (member === null) return schema
  const { anyOf: _, ...beside } = schema
  const { enum: values } = member
  return {
    ...member,
    type: [member["type"], "null"],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
    ...beside
  }
}

/** Replaces a reference with its definition. No input of the registry is recursive. */
const inlined = (schema: JsonObject, definitions: JsonObject): JsonObject => {
  const { $ref: reference, ...beside } = schema
  const target = Predicate.isString(reference) ? definitions[reference.replace("#/$defs/", "")] : undefined
  return Predicate.isRecord(target) ? { ...target, ...beside } : schema
}

const slimMembers = (members: unknown, definitions: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(objectsIn(members)).map(([name, member]) => [name, slim(member, definitions)]))

/** The list says what its items are; the prefix of an id says whose they are. */
const withoutDescription = (items: JsonObject): JsonObject => {
  const { description, ...rest } = items
  return items["type"] === "string" && !/^\w+_\.\.\.$/.test(String(description)) ? rest : items
}

const slimValue = (name: string, value: unknown, definitions: JsonObject, isFlag: boolean): unknown =>
  name === "properties"
    ? slimMembers(value, definitions)
    : name === "items" && Predicate.isRecord(value)
    ? withoutDescription(slim(value, definitions))
    : Array.isArray(value)
    ? value.map((item) => (Predicate.isRecord(item) ? slim(item, definitions) : item))
    : Predicate.isRecord(value)
    ? slim(value, definitions)
    : shortened(name, value, isFlag)

/** The same for the members of a choice, one of which may be null. */
const inlinedChoice = (schema: JsonObject, definitions: JsonObject): JsonObject => {
  const { anyOf } = schema
  return Array.isArray(anyOf)
    ? { ...schema, anyOf: anyOf.map((member) => (Predicate.isRecord(member) ? inlined(member, definitions) : member)) }
    : schema
}

const slim = (given: JsonObject, definitions: JsonObject): JsonObject => {
  const schema = withNullType(inlinedChoice(inlined(given, definitions), definitions))
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name, value]) =>
        !isUnneeded(name, value) && !(name === "description" && typeof value === "string" && formatDescription.test(value))
      )
      .map(([name, value]) => [name, slimValue(name, value, definitions, schema["type"] === "boolean")])
      .filter(([, value]) => value !== "")
  )
}

const inputOfPart = (part: PartSchema): ToolInput => {
  const tidied = tidy(JSONSchema.make(part))
  const schema = Predicate.isRecord(tidied) ? tidied : {}
  const definitions = objectsIn(schema["$defs"])
  const { properties, required } = inlined(schema, definitions)
  return {
    properties: Object.fromEntries(
      Object.entries(objectsIn(properties)).map(([name, property]) => [name, slim(property, definitions)])
    ),
    required: Array.isArray(required) ? required.filter(Predicate.isString) : []
  }
}

/** Merges path, query and body into one flat object, as the API does. */
export const inputOf = ({ pathParams, payload, query }: Operation): ToolInput => {
  const parts = [payload, query, pathParams].flatMap(Option.toArray).map(inputOfPart)
  return {
    properties: Object.assign({}, ...parts.map((part) => part.properties)),
    required: parts.flatMap((part) => part.required)
  }
}

/** A field that another field describes: its type alone. */
const bare = ({ items, type }: JsonObject): JsonObject => ({
  ...(type === undefined ? {} : { type }),
  ...(Predicate.isRecord(items) ? { items: bare(items) } : {})
})

/** Fields whose definition is shorter are repeated: a reference would save little. In characters. */
const shortest = 100

const isIdText = ({ description, type }: JsonObject): boolean =>
  type === "string" && typeof description === "string" && /^\w+_\.\.\.$/.test(description)

/** The name of a field or tool says whose id it is. */
const withoutIdPrefix = (field: JsonObject): JsonObject =>
  isIdText(field)
    ? { type: "string" }
    : Predicate.isRecord(field["items"]) && isIdText(field["items"])
    ? { ...field, items: { type: "string" } }
    : field

/** Descriptions that the instructions, `leftOut` of a list, or the tool itself say. */
const saidElsewhere: ReadonlySet<unknown> = new Set(["Page id or slug", "next of the page before", "Default as it is"])

const withoutName = (field: JsonObject, name: string): JsonObject => {
  const { description, ...rest } = field
  return saidElsewhere.has(description) || (typeof description === "string" && saysName(name, description)) ? rest : field
}

/** The fields as a model reads them: members in words, and a field that is defined as one before it refers to that one. */
export const inWords = (properties: Readonly<Record<string, JsonObject>>): Readonly<Record<string, JsonObject>> => {
  const names = new Map<string, string>()
  return Record.map(properties, (field, name) => {
    const text = JSON.stringify(field)
    const before = names.get(text)
    if (before !== undefined) return { ...bare(field), description: `As ${before}` }
    if (text.length >= shortest) names.set(text, name)
    return withoutIdPrefix(withoutName(withSignature(field, properties), name))
  })
}
