/** Gives the texts of a form or a query the types that the operation's fields want. */
import { Array, Option, SchemaAST } from "effect"

/** The fields that an object takes on the wire, by name. */
export type FieldTypes = ReadonlyMap<string, SchemaAST.AST>

/** Every field of a payload or query on the wire; of a union, those of all its members. */
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

const parsed = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const ofJson = (text: string, accept: (value: unknown) => boolean) => Option.filter(parsed(text), accept)

/** The first reading of a text that the field can take; the text itself where there is none, so that it is refused by name. */
const readings: ReadonlyArray<(text: string, members: ReadonlyArray<SchemaAST.AST>) => Option.Option<unknown>> = [
  (text, members) => (members.some(takesText) ? Option.some(text) : Option.none()),
  (text, members) => ((text === "" || text === "null") && members.some(isNull) ? Option.some(null) : Option.none()),
  (text, members) =>
    members.some(SchemaAST.isNumberKeyword) ? ofJson(text.trim(), (value) => typeof value === "number") : Option.none(),
  (text, members) =>
    members.some(SchemaAST.isBooleanKeyword) ? ofJson(text.trim(), (value) => typeof value === "boolean") : Option.none(),
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

/**
 * One field's texts as a value: `60` for a number, `true` for a boolean, repeated texts or JSON for a list, JSON for an
 * object, an empty text for null. What cannot be read so stays a text.
 */
export const fromTexts = (texts: string | ReadonlyArray<string>, type: SchemaAST.AST): unknown => {
  const item = itemOf(type)
  if (typeof texts !== "string") {
    return Option.match(item, { onNone: () => texts, onSome: (itemType) => texts.map((text) => read(text, itemType)) })
  }
  const whole = read(texts, type)
  return Option.isSome(item) && typeof whole === "string" ? [read(texts, item.value)] : whole
}
