/** Describes the problems of an input, field by field. */
import { Array, Option, type ParseResult, SchemaAST } from "effect"
import { type InvalidField, ValidationFailed } from "../../../schema/Errors.ts"
import { invalidFields, mostRefusals } from "../Refusal.ts"
import { nearest } from "../tools/text/Nearest.ts"
import { isStorable } from "../tools/text/Storable.ts"
import { atLeast, bound, integerRange, mismatchMessage, type Source, withActual } from "./ExpectedWords.ts"
import { type FieldTypes, fieldTypes } from "./FieldTexts.ts"

export type FieldIssue = InvalidField

type Path = ReadonlyArray<PropertyKey>

interface Found {
  readonly path: Path
  /** Built only for the issues that are reported: finding a nearest name costs more than decoding the field. */
  readonly message: () => string
  /** Only a type mismatch. A union member with any other issue is taken as the intended one. */
  readonly mismatch: boolean
}

const customMessage = (issue: ParseResult.ParseIssue): Option.Option<string> =>
  issue._tag === "Type" || issue._tag === "Forbidden" ? Option.fromNullable(issue.message) : Option.none()

const refinementMessage = (issue: ParseResult.Refinement): string =>
  Option.getOrElse(customMessage(issue.issue), () => bound(issue.ast, issue.actual))

export const unknownField = (name: string, known: ReadonlyArray<string>): string => {
  const meant = nearest(name, known)
  return meant === null ? "Unknown field" : `Unknown field; did you mean ${meant}?`
}

/** Names the field that holds an unknown one, such as `settings` for `timezone`; null if none does. */
const misplaced = (name: string, known: FieldTypes): string | null => {
  const holder = [...known].find(([, type]) => fieldTypes(type).has(name))
  return holder === undefined ? null : `Unknown field; did you mean ${holder[0]}.${name}?`
}

/** How many items a list needs that has fewer: the issue is the list's, not that of a missing item. Null for any other issue. */
const itemsNeeded = (ast: SchemaAST.AST, issue: ParseResult.ParseIssue): number | null =>
  SchemaAST.isTupleType(ast) && issue._tag === "Pointer" && issue.issue._tag === "Missing" ? ast.elements.length : null

/** The location of an issue: its path, and the schema of the object with it. */
interface Position {
  readonly path: Path
  readonly owner: SchemaAST.AST
  readonly source: Source
}

const at = ({ path }: Position, message: () => string, mismatch = false): ReadonlyArray<Found> => [{ path, message, mismatch }]

const find = (issue: ParseResult.ParseIssue, position: Position): ReadonlyArray<Found> => {
  const { path, source } = position
  switch (issue._tag) {
    case "Pointer":
      return find(issue.issue, { ...position, path: [...path, ...Array.ensure(issue.path)] })
    case "Missing":
      return at(position, () => "Required")
    case "Unexpected":
      return at(position, () => {
        const [name, known] = [String(path.at(-1)), fieldTypes(position.owner)]
        return misplaced(name, known) ?? unknownField(name, [...known.keys()])
      })
    case "Composite":
      return SchemaAST.isUnion(issue.ast)
        ? findInUnion(issue.ast, issue, position)
        : Array.ensure(issue.issues).flatMap((inner) => {
          const needed = itemsNeeded(issue.ast, inner)
          return needed === null ? find(inner, { ...position, owner: issue.ast }) : at(position, () => atLeast(needed))
        })
    case "Refinement":
      // A predicate can name a place within the value.
      return issue.kind === "Predicate" && (issue.issue._tag === "Pointer" || issue.issue._tag === "Composite")
        ? find(issue.issue, position)
        : issue.kind === "Predicate"
        ? at(position, () => withActual(refinementMessage(issue), issue.actual, source))
        : issue.issue._tag === "Type" && issue.issue.message === undefined
        ? at(position, () => mismatchMessage(issue.ast, issue.actual, source), true)
        : find(issue.issue, { ...position, owner: issue.ast.from })
    case "Transformation":
      return Option.match(integerRange(issue.ast), {
        onNone: () => find(issue.issue, { ...position, owner: issue.ast }),
        onSome: (range) => at(position, () => withActual(`Expected ${range}`, issue.actual, source))
      })
    case "Type": {
      const { actual, ast, message } = issue
      return message === undefined
        ? at(position, () => mismatchMessage(ast, actual, source), true)
        : at(position, () => message)
    }
    case "Forbidden":
      return at(position, () => issue.message ?? "Not allowed")
  }
}

/** The issues of the intended union member; if none stands out, the types that the members expect. */
const findInUnion = (
  ast: SchemaAST.Union,
  { actual, issues }: ParseResult.Composite,
  position: Position
): ReadonlyArray<Found> => {
  const meant = Array.ensure(issues)
    .map((inner) => find(inner, { ...position, owner: ast }))
    .find((found) => found.some((one) => !one.mismatch || one.path.length > position.path.length))
  return meant ?? at(position, () => mismatchMessage(ast, actual, position.source), true)
}

export const maxIssues = mostRefusals

export const fieldIssues = (
  error: ParseResult.ParseError,
  source: Source = "JSON"
): ReadonlyArray<FieldIssue> => {
  const owner = error.issue._tag === "Composite" ? error.issue.ast : SchemaAST.unknownKeyword
  const issues = new Map<string, FieldIssue>()
  for (const { message, path: parts } of find(error.issue, { path: [], owner, source })) {
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

/** The failure for an input with the first of these issues: the message names the fields, `details` has the problem of each. */
export const validationFailed = (issues: ReadonlyArray<FieldIssue>): ValidationFailed => {
  const details = issues.slice(0, maxIssues)
  return new ValidationFailed({ message: invalidFields(details.map(({ path }) => path)), details })
}
