/** Describes the type that a schema expects, and the given value. */
import { Array, Option, Predicate, SchemaAST } from "effect"
import { type Explain, Explanation, ValueNoun } from "../../../schema/Fields.ts"
import { counted } from "../tools/text/Counted.ts"
import { nearest } from "../tools/text/Nearest.ts"

/** The format of an input. In a query or a form every value is a text, so messages omit it. */
export type Source = "JSON" | "texts"

const expected = (ast: SchemaAST.AST): string => {
  switch (ast._tag) {
    case "Literal":
      return JSON.stringify(ast.literal)
    case "StringKeyword":
    case "TemplateLiteral":
      return "a string"
    case "NumberKeyword":
      return "a number"
    case "BooleanKeyword":
      return "true or false"
    case "TupleType":
      return "an array"
    case "TypeLiteral":
      return "an object"
    case "Refinement":
      return Option.match(integerRange(ast), { onNone: () => expected(ast.from), onSome: (range) => range })
    case "Transformation":
      return jsonSchemaOf(ast)["type"] === "boolean" ? "true or false" : expected(ast.from)
    case "Suspend":
      return expected(ast.f())
    case "Union":
      return alternatives(ast.types)
    default:
      return String(ast)
  }
}

const alternatives = (types: ReadonlyArray<SchemaAST.AST>): string => {
  const words = Array.dedupe(types.filter((type) => !SchemaAST.isUndefinedKeyword(type)).map(expected))
  return types.every(SchemaAST.isLiteral) && words.length > 2 ? `one of ${words.join(", ")}` : words.join(" or ")
}

const jsonSchemaOf = (ast: SchemaAST.AST): Readonly<Record<string, unknown>> =>
  Option.getOrElse(Option.filter(SchemaAST.getJSONSchemaAnnotation(ast), Predicate.isRecord), () => ({}))

export const integerRange = (ast: SchemaAST.AST) => {
  const { maximum, minimum, type } = jsonSchemaOf(ast)
  if (type !== "integer") return Option.none()
  const bounds = [["from", minimum], ["to", maximum]].map(([word, bound]) => bound === undefined ? "" : ` ${word} ${bound}`)
  return Option.some(`a whole number${bounds.join("")}`)
}

export const atLeast = (items: unknown): string => `At least ${counted(Number(items), "item")}`

const isExplain = (value: unknown): value is Explain => typeof value === "function"

const explanationOf = (ast: SchemaAST.AST, value: unknown): string | null => {
  const explain = ast.annotations[Explanation]
  return isExplain(explain) ? explain(value) : null
}

/** Describes the constraint of a refinement, in its own words if it has some. */
export const bound = (ast: SchemaAST.Refinement, actual: unknown): string => {
  const explained = explanationOf(ast, actual)
  if (explained !== null) return explained
  const { maxItems, maxLength, maximum, minItems, minLength, minimum, pattern } = jsonSchemaOf(ast)
  if (minLength === 1) return "Must not be empty"
  if (minLength !== undefined) return `At least ${String(minLength)} characters`
  if (maxLength !== undefined) return `At most ${String(maxLength)} characters`
  if (minItems !== undefined) return atLeast(minItems)
  if (maxItems !== undefined) return `At most ${counted(Number(maxItems), "item")}`
  if (pattern !== undefined) return `Must match ${String(pattern)}`
  if (minimum !== undefined) return `At least ${String(minimum)}`
  if (maximum !== undefined) return `At most ${String(maximum)}`
  return `Expected ${expected(ast)}`
}

/** A refused text is shown up to this length. */
const longestShown = 40

const shownText = (text: string): string =>
  JSON.stringify(text.length > longestShown ? `${text.slice(0, longestShown)}...` : text)

const given = (value: unknown, source: Source): string => {
  if (typeof value === "string") return source === "texts" ? shownText(value) : `the text ${shownText(value)}`
  if (Array.isArray(value)) return "an array"
  return typeof value === "object" && value !== null ? "an object" : String(value)
}

/** The texts that a schema takes, if it takes only some texts and has a name for them, such as "event type". */
const namedTexts = (ast: SchemaAST.AST) => {
  const noun = ast.annotations[ValueNoun]
  if (typeof noun !== "string" || !SchemaAST.isUnion(ast)) return null
  return { noun, texts: ast.types.filter(SchemaAST.isLiteral).map(({ literal }) => String(literal)) }
}

const numberMessage = /^Expected a (?:whole )?number/

/** Adds the given value to a message. A schema's own messages stay, except about numbers, which are often given as texts. */
export const withActual = (message: string, actual: unknown, source: Source): string =>
  numberMessage.test(message) ? `${message}, got ${given(actual, source)}` : message

/** Names them all: without the list a caller would have to guess. */
const allOf = (texts: ReadonlyArray<string>): string => `use one of ${texts.join(", ")}`

/** The message for a value of another type, or that is none of the values that the schema lists. */
export const mismatchMessage = (ast: SchemaAST.AST, actual: unknown, source: Source): string => {
  const explained = explanationOf(ast, actual)
  if (explained !== null) return explained
  const named = namedTexts(ast)
  if (named === null) return `Expected ${expected(ast)}, got ${given(actual, source)}`
  if (typeof actual !== "string") return `Expected the name of an ${named.noun}, got ${given(actual, source)}`
  const meant = nearest(actual, named.texts)
  const instead = meant === null ? `; ${allOf(named.texts)}` : `; did you mean ${meant}?`
  return `Unknown ${named.noun} ${actual.slice(0, longestShown)}${instead}`
}
