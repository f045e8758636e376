/** Converts the strings of a form or query to the types of the operation's fields. */
import { Array, Either, Option, SchemaAST } from "effect"
import { flagOf } from "../../../schema/Fields.ts"
import { parseBoundedJson } from "../tools/json/BoundedJson.ts"

/** The wire types of an object's fields, by name. */
export type FieldTypes = ReadonlyMap<string, SchemaAST.AST>

/** The wire fields of a payload or query; for a union, those of all members. */
export const fieldTypes = (ast: SchemaAST.AST): FieldTypes => {
  const wire = SchemaAST.encodedAST(ast)
  if (SchemaAST.isUnion(wire)) return new Map(wire.types.flatMap((type) => [...fieldTypes(type)]))
  if (!SchemaAST.isTypeLiteral(wire)) return new Map()
  return new Map(wire.propertySignatures.map(({ name, type }) => [String(name), type]))
}

const membersOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  SchemaAST.isUnion(ast) ? ast.types.flatMap(membersOf) : [ast]

const takesText = (ast: SchemaAST.AST) =>
  SchemaAST.isStringKeyword(ast) || SchemaAST.isTemplateLiteral(ast) ||
  (SchemaAST.isLiteral(ast) && typeof ast.literal === "string")

const isNull = (ast: SchemaAST.AST) => SchemaAST.isLiteral(ast) && ast.literal === null

const ofJson = (text: string, accept: (value: unknown) => boolean) =>
  Option.filter(Either.getRight(parseBoundedJson(text)), accept)

/** Conversions of a string, tried in order. If none fits the field, the string is kept, so decoding rejects it by name. */
const readings: ReadonlyArray<(text: string, members: ReadonlyArray<SchemaAST.AST>) => Option.Option<unknown>> = [
  (text, members) => (members.some(takesText) ? Option.some(text) : Option.none()),
  (text, members) => ((text === "" || text === "null") && members.some(isNull) ? Option.some(null) : Option.none()),
  (text, members) =>
    members.some(SchemaAST.isNumberKeyword) ? ofJson(text.trim(), (value) => typeof value === "number") : Option.none(),
  (text, members) => members.some(SchemaAST.isBooleanKeyword) ? Option.fromNullable(flagOf(text)) : Option.none(),
  (text, members) =>
    members.some((type) => SchemaAST.isTypeLiteral(type) || SchemaAST.isTupleType(type))
      ? ofJson(text, (value) => typeof value === "object" && value !== null)
      : Option.none()
]

const read = (text: string, type: SchemaAST.AST): unknown => {
  const members = membersOf(type)
  return Option.getOrElse(Option.firstSomeOf(readings.map((reading) => reading(text, members))), () => text)
}

const itemOf = (type: SchemaAST.AST): Option.Option<SchemaAST.AST> =>
  Option.map(
    Array.findFirst(membersOf(type), SchemaAST.isTupleType),
    (tuple) => tuple.rest[0]?.type ?? SchemaAST.stringKeyword
  )

export const isList = (type: SchemaAST.AST): boolean => Option.isSome(itemOf(type))

/** Converts the strings of one field to its type; repeated strings to a list. A string that cannot be converted is kept. */
export const fromTexts = (texts: string | ReadonlyArray<string>, type: SchemaAST.AST): unknown => {
  const item = itemOf(type)
  if (typeof texts !== "string") {
    return Option.match(item, { onNone: () => texts, onSome: (itemType) => texts.map((text) => read(text, itemType)) })
  }
  const whole = read(texts, type)
  return Option.isSome(item) && typeof whole === "string" ? [read(texts, item.value)] : whole
}
