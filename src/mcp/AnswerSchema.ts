/** Reads two facts from the schema of an operation's answer: whether it is a list, and which parts targets wrote. */
import { Option, SchemaAST } from "effect"
import { events } from "../../schema/event/EventData.ts"
import { FromTarget } from "../../schema/Fields.ts"
import { fieldTypes } from "../domain/input/FieldTexts.ts"
import type { Operation } from "../http/openapi/Operations.ts"

/** Where an answer repeats text of a target: a value as a whole, also only if the `ai` beside it is true, or parts of it. */
export type Quoted =
  | "all"
  | "if ai"
  | { readonly fields: ReadonlyMap<string, Quoted>; readonly items: Quoted | null; readonly events: boolean }

const nothing: Quoted = { fields: new Map(), items: null, events: false }

const isQuoted = (quoted: Quoted): boolean =>
  typeof quoted === "string" || quoted.fields.size > 0 || quoted.items !== null || quoted.events

const either = (one: Quoted, other: Quoted): Quoted => {
  if (one === "all" || other === "all") return "all"
  if (one === "if ai" || other === "if ai") return "if ai"
  return {
    fields: new Map([...one.fields, ...other.fields]),
    items: one.items ?? other.items,
    events: one.events || other.events
  }
}

const isEvent = (ast: SchemaAST.AST): boolean =>
  Option.exists(SchemaAST.getIdentifierAnnotation(ast), (identifier) => identifier === "Event")

const fieldsOf = (ast: SchemaAST.TypeLiteral): Quoted => ({
  fields: new Map(
    ast.propertySignatures
      .map(({ name, type }) => [String(name), quotedIn(type)] as const)
      .filter(([, quoted]) => isQuoted(quoted))
  ),
  items: null,
  events: isEvent(ast)
})

const quotedIn = (ast: SchemaAST.AST): Quoted => {
  if (ast.annotations[FromTarget] === true) return "all"
  if (ast.annotations[FromTarget] === "ai") return "if ai"
  switch (ast._tag) {
    case "Refinement":
    case "Transformation":
      return quotedIn(ast.from)
    case "Suspend":
      return quotedIn(ast.f())
    case "Union":
      return ast.types.map(quotedIn).reduce(either, nothing)
    case "TypeLiteral":
      return fieldsOf(ast)
    case "TupleType": {
      const [item] = ast.rest
      const items = item === undefined ? nothing : quotedIn(item.type)
      return isQuoted(items) ? { ...nothing, items } : nothing
    }
    default:
      return nothing
  }
}

/** The same for the data of each type of event, which the schema of an event leaves open. */
const quotedInEvents: ReadonlyMap<string, Quoted> = new Map(
  Object.entries(events).flatMap(([type, { data }]) => (data === null ? [] : [[type, quotedIn(data.ast)] as const]))
)

export const quotedInEvent = (type: unknown): Quoted => quotedInEvents.get(String(type)) ?? nothing

/** The parts of an operation's answer that repeat text of a target; null if none does. */
export const quotedInAnswer = ({ answer }: Operation): Quoted | null => {
  const quoted = Option.match(answer, { onNone: () => nothing, onSome: ({ ast }) => quotedIn(ast) })
  return isQuoted(quoted) ? quoted : null
}

const rowsOf = ({ answer }: Operation): Option.Option<SchemaAST.TupleType> =>
  Option.flatMap(answer, ({ ast }) => {
    const data = SchemaAST.getPropertySignatures(ast).find(({ name }) => name === "data")?.type
    return data !== undefined && SchemaAST.isTupleType(data) ? Option.some(data) : Option.none()
  })

/** Whether an operation answers with a list: `{data: [...], next}`. */
export const isList = (operation: Operation): boolean => Option.isSome(rowsOf(operation))

/** The names of the fields that a row of a list can have. */
export const rowFieldsOf = (operation: Operation): ReadonlyArray<string> =>
  Option.match(rowsOf(operation), {
    onNone: () => [],
    onSome: ({ rest: [row] }) => (row === undefined ? [] : [...fieldTypes(row.type).keys()])
  })
