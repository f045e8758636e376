/** Describes, field by field, what is wrong with an input. */
import { Array, Option, type ParseResult, Predicate, SchemaAST } from "effect"
import { ValidationFailed } from "../../../schema/Errors.ts"
import { nearest } from "../../domain/Nearest.ts"
import { isStorable } from "../../domain/Storable.ts"
import { fieldTypes } from "./FieldTexts.ts"

/** `path` is dotted, such as `assertions.0.op`; empty for the whole input. */
export interface FieldIssue {
  readonly path: string
  readonly message: string
}

type Path = ReadonlyArray<PropertyKey>

interface Found {
  readonly path: Path
  /** Built only for the issues that are reported: finding a nearest name costs more than decoding the field. */
  readonly message: () => string
  /** Only a type mismatch. A union member with any other issue is taken as the intended one. */
  readonly mismatch: boolean
}

/** Describes the type that a schema expects. */
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

const integerRange = (ast: SchemaAST.AST) => {
  const { maximum, minimum, type } = jsonSchemaOf(ast)
  return type === "integer" ? Option.some(`a whole number from ${String(minimum)} to ${String(maximum)}`) : Option.none()
}

const counted = (items: unknown) => `${String(items)} ${items === 1 ? "item" : "items"}`

/** Describes the constraint of a refinement. */
const bound = (ast: SchemaAST.Refinement): string => {
  const { maxItems, maxLength, maximum, minItems, minLength, minimum, pattern } = jsonSchemaOf(ast)
  if (minLength === 1) return "Must not be empty"
  if (minLength !== undefined) return `At least ${String(minLength)} characters`
  if (maxLength !== undefined) return `At most ${String(maxLength)} characters`
  if (minItems !== undefined) return `At least ${counted(minItems)}`
  if (maxItems !== undefined) return `At most ${counted(maxItems)}`
  if (pattern !== undefined) return `Must match ${String(pattern)}`
  if (minimum !== undefined) return `At least ${String(minimum)}`
  if (maximum !== undefined) return `At most ${String(maximum)}`
  return `Expected ${expected(ast)}`
}

const customMessage = (issue: ParseResult.ParseIssue): Option.Option<string> =>
  issue._tag === "Type" || issue._tag === "Forbidden" ? Option.fromNullable(issue.message) : Option.none()

const refinementMessage = (issue: ParseResult.Refinement): string =>
  Option.getOrElse(customMessage(issue.issue), () => bound(issue.ast))

const unknownField = (name: string, owner: SchemaAST.AST): string => {
  const meant = nearest(name, [...fieldTypes(owner).keys()])
  return meant === null ? "Unknown field" : `Unknown field; did you mean ${meant}?`
}

/** `owner` is the schema of the object with the issue. */
const find = (issue: ParseResult.ParseIssue, path: Path, owner: SchemaAST.AST): ReadonlyArray<Found> => {
  const one = (message: string, mismatch = false): ReadonlyArray<Found> => [{ path, message: () => message, mismatch }]
  switch (issue._tag) {
    case "Pointer":
      return find(issue.issue, [...path, ...Array.ensure(issue.path)], owner)
    case "Missing":
      return one("Required")
    case "Unexpected":
      return [{ path, message: () => unknownField(String(path.at(-1)), owner), mismatch: false }]
    case "Composite": {
      const issues = Array.ensure(issue.issues)
      return SchemaAST.isUnion(issue.ast)
        ? findInUnion(issue.ast, issues, path)
        : issues.flatMap((inner) => find(inner, path, issue.ast))
    }
    case "Refinement":
      return issue.kind === "Predicate"
        ? one(refinementMessage(issue))
        : issue.issue._tag === "Type" && issue.issue.message === undefined
        ? one(`Expected ${expected(issue.ast)}`, true)
        : find(issue.issue, path, issue.ast.from)
    case "Transformation":
      return Option.match(integerRange(issue.ast), {
        onNone: () => find(issue.issue, path, issue.ast),
        onSome: (range) => one(`Expected ${range}`)
      })
    case "Type":
      return issue.message === undefined ? one(`Expected ${expected(issue.ast)}`, true) : one(issue.message)
    case "Forbidden":
      return one(issue.message ?? "Not allowed")
  }
}

/** The issues of the intended union member; if none stands out, the types that the members expect. */
const findInUnion = (ast: SchemaAST.Union, issues: ReadonlyArray<ParseResult.ParseIssue>, path: Path) => {
  const meant = issues
    .map((inner) => find(inner, path, ast))
    .find((found) => found.some((one) => !one.mismatch || one.path.length > path.length))
  return meant ?? [{ path, message: () => `Expected ${alternatives(ast.types)}`, mismatch: true }]
}

/** Reported issues of one input. */
const maxIssues = 50

/** The first issues of an input, at most one per field. */
export const fieldIssues = (error: ParseResult.ParseError): ReadonlyArray<FieldIssue> => {
  const owner = error.issue._tag === "Composite" ? error.issue.ast : SchemaAST.unknownKeyword
  const issues = new Map<string, FieldIssue>()
  for (const { message, path: parts } of find(error.issue, [], owner)) {
    if (issues.size >= maxIssues) break
    const path = parts.map(String).join(".")
    if (!issues.has(path)) issues.set(path, { path, message: message() })
  }
  return [...issues.values()]
}

const unstorable = "Contains a character that cannot be stored: NUL or an unpaired surrogate"

/** Finds strings, including names, that the database cannot store. Call it after decoding, when the size is bounded. */
export const unstorableTexts = (value: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<FieldIssue> => {
  if (typeof value === "string") return isStorable(value) ? [] : [{ path: path.join("."), message: unstorable }]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    isStorable(name) ? unstorableTexts(inner, [...path, name]) : [{ path: path.join("."), message: unstorable }]
  ).slice(0, maxIssues)
}

/** The failure for an input with these issues. */
export const validationFailed = (issues: ReadonlyArray<FieldIssue>): ValidationFailed => {
  const first = issues.slice(0, 3).map(({ message, path }) => (path === "" ? message : `${path}: ${message}`)).join("; ")
  const rest = issues.length > 3 ? `; and ${issues.length - 3} more in details` : ""
  return new ValidationFailed({ message: `${first}${rest}`, details: issues })
}
