/** Writes the shape of a nested object as one line of text, such as `{by: email|push, afterMinutes: 0-60}`: a fifth of its JSON Schema. */
import { Predicate } from "effect"
import { saysName } from "./SaysName.ts"

type JsonObject = Readonly<Record<string, unknown>>

const recordsIn = (value: unknown): ReadonlyArray<readonly [string, JsonObject]> =>
  Predicate.isRecord(value)
    ? Object.entries(value).filter((entry): entry is [string, JsonObject] => Predicate.isRecord(entry[1]))
    : []

const typesOf = ({ type }: JsonObject): ReadonlyArray<string> => (Array.isArray(type) ? type : [type]).filter(Predicate.isString)

/** The type of a schema beside null. */
const typeOf = (schema: JsonObject): string | undefined => typesOf(schema).find((one) => one !== "null")

const isOf = (schema: JsonObject, type: string): boolean => typeOf(schema) === type

const idPrefix = /^(\w+_)\.\.\.$/

/** Characters of a member's explanation; a longer one would hide the shape. */
const longestNote = 40

const said = (name: string, { description }: JsonObject): string =>
  typeof description === "string" && !idPrefix.test(description) && description.length <= longestNote &&
    !saysName(name, description)
    ? ` (${description})`
    : ""

/** Plain types are in the names: `minutes`, `hidden`, `title`. */
const typed = (
  name: string,
  shape: string
): string => (/^(?:string|boolean|integer)(?:\|null)?$/.test(shape) ? name : `${name}: ${shape}`)

const membersOf = (schema: JsonObject, known: JsonObject): string => {
  const required: ReadonlyArray<unknown> = Array.isArray(schema["required"]) ? schema["required"] : []
  const members = recordsIn(schema["properties"]).map(([name, member]) => {
    const mark = required.includes(name) ? "" : "?"
    return JSON.stringify(known[name]) === JSON.stringify(member)
      ? `${name}${mark}`
      : `${typed(`${name}${mark}`, shapeOf(member, known))}${said(name, member)}`
  })
  return `{${members.join(", ")}}`
}

const numberOf = ({ maximum, minimum, type }: JsonObject): string =>
  minimum === undefined || maximum === undefined ? String(type) : `${minimum}-${maximum}`

/** A choice that stands again in one of its objects is named only. */
const choiceOf = (choices: ReadonlyArray<JsonObject>, known: JsonObject): string => {
  const shapes = [...new Set(choices.map((one) => shapeOf(one, known)))]
  const plainShapes = shapes.filter((shape) => !shape.includes("{")).join(" | ")
  return shapes.map((shape) => (plainShapes.includes("|") ? shape.replace(`: ${plainShapes}`, "") : shape)).join(" | ")
}

const plain = (schema: JsonObject, known: JsonObject): string => {
  const { additionalProperties, anyOf, description, enum: values, items } = schema
  if (Array.isArray(values)) return values.filter((value) => value !== null).join("|")
  if (Array.isArray(anyOf)) return choiceOf(anyOf.filter(Predicate.isRecord), known)
  if (isOf(schema, "array")) return `${Predicate.isRecord(items) ? shapeOf(items, known) : "any"}[]`
  if (isOf(schema, "object")) {
    return Predicate.isRecord(schema["properties"])
      ? membersOf(schema, known)
      : Predicate.isRecord(additionalProperties)
      ? `{key: ${shapeOf(additionalProperties, known)}}`
      : "object"
  }
  if (isOf(schema, "integer") || isOf(schema, "number")) return numberOf({ ...schema, type: typeOf(schema) })
  const [, prefix] = typeof description === "string" ? idPrefix.exec(description) ?? [] : []
  return prefix ?? typeOf(schema) ?? "any"
}

const shapeOf = (schema: JsonObject, known: JsonObject): string =>
  typesOf(schema).includes("null") ? `${plain(schema, known)}|null` : plain(schema, known)

const hasMembers = (schema: JsonObject): boolean =>
  isOf(schema, "object") && (Predicate.isRecord(schema["properties"]) || Predicate.isRecord(schema["additionalProperties"]))

/** The object whose members a field has, in itself or in its items; null for a field without members. */
const objectIn = (field: JsonObject): JsonObject | null => {
  const { items } = field
  if (hasMembers(field)) return field
  return isOf(field, "array") && Predicate.isRecord(items) && hasMembers(items) ? items : null
}

/** Whether a field takes one of several plain values, such as a word or a number. */
const isPlainChoice = ({ anyOf }: JsonObject): boolean =>
  Array.isArray(anyOf) && anyOf.length > 2 && anyOf.every((one) => Predicate.isRecord(one) && typeof one["type"] === "string")

/** The field with its members in words. Members that equal the field of the same name in `known` are named only. */
export const withSignature = (field: JsonObject, known: JsonObject): JsonObject => {
  const inner = objectIn(field)
  if (isPlainChoice(field)) {
    return { description: `${plain({ anyOf: field["anyOf"] }, known)}. ${String(field["description"] ?? "")}` }
  }
  if (inner === null) return field
  const { description, type } = field
  if (typeof description === "string" && /^As in [a-z_]+$/.test(description)) return { type, description }
  const shape = plain(inner, known)
  return {
    type,
    ...(inner === field ? {} : { items: { type: "object" } }),
    description: typeof description === "string" ? `${description}: ${shape}` : shape
  }
}
