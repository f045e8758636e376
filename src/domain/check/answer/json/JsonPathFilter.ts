/** Evaluates the filters of JSON paths (RFC 9535, sections 2.3.5 and 2.4), as json-p3 parsed them. */
import { Either } from "effect"
import { jsonpath, type JSONPathQuery } from "json-p3"
import type { RE2JS } from "re2js"
import { type ExactJson, isBelow, isList, isRecord, parseExactJson, sameJson } from "../../../tools/json/ExactJson.ts"
import { compilePattern, largestPattern } from "../Pattern.ts"

const { expressions } = jsonpath

type FilterExpression = InstanceType<typeof expressions.FilterExpression>
type FunctionExtension = InstanceType<typeof expressions.FunctionExtension>

export type Nodes = ReadonlyArray<ExactJson>

/** The values that a query selects, in the order of the document. */
export type Query = (from: ExactJson, root: ExactJson) => Nodes

export type Test = (value: ExactJson, root: ExactJson) => boolean

/** undefined is Nothing. */
type Read = (value: ExactJson, root: ExactJson) => ExactJson | undefined

/** The estimated cost of a path so far. */
export interface PathCost {
  /** How many of its steps, those in filters included, may visit every value of the document. */
  loops: number
  /** The instructions of its patterns, together. */
  patternSize: number
  /** Why the path is refused. */
  problem: string | null
}

interface FilterContext {
  readonly cost: PathCost
  /** Compiles a query of a filter. */
  readonly inner: (query: JSONPathQuery) => Query
}

export const childrenOf = (value: ExactJson): Nodes => (isList(value) ? value : isRecord(value) ? Object.values(value) : [])

/** Characters of a text, items of a list or members of an object; undefined for other values. */
export const sizeOf = (value: ExactJson | undefined): number | undefined =>
  value === undefined
    ? undefined
    : typeof value === "string"
    ? [...value].length
    : isList(value) || isRecord(value)
    ? childrenOf(value).length
    : undefined

const isSame = (left: ExactJson | undefined, right: ExactJson | undefined): boolean =>
  left === undefined || right === undefined ? left === right : sameJson(left, right)

const isLess = (left: ExactJson | undefined, right: ExactJson | undefined): boolean =>
  left !== undefined && right !== undefined && isBelow(left, right)

const comparisons: Readonly<Record<string, (left: ExactJson | undefined, right: ExactJson | undefined) => boolean>> = {
  "==": isSame,
  "!=": (left, right) => !isSame(left, right),
  "<": isLess,
  "<=": (left, right) => isLess(left, right) || isSame(left, right),
  ">": (left, right) => isLess(right, left),
  ">=": (left, right) => isLess(right, left) || isSame(left, right)
}

/** Longest pattern that an answer gives, in characters. */
const longestPattern = 1000

/** An I-Regexp (RFC 9485) for RE2JS: its `.` is no line break of either kind. */
const compileIRegexp = (pattern: string): Either.Either<RE2JS, string> => {
  if (pattern.length > longestPattern) return Either.left("The pattern is too long")
  let isInClass = false
  return compilePattern(pattern.replace(/\\.|[[\].]/gs, (part) => {
    if (part === "." && !isInClass) return "[^\\n\\r]"
    if (part === "[" || part === "]") isInClass = part === "["
    return part
  }))
}

/** Compiles the patterns that an answer gives; most often all values are tested with the same one. */
const makeCompiler = () => {
  let last: { readonly text: string; readonly compiled: RE2JS | null } | null = null
  return (text: string): RE2JS | null => {
    if (last?.text !== text) last = { text, compiled: Either.getOrElse(compileIRegexp(text), () => null) }
    return last.compiled
  }
}

/** `match` wants the whole text, `search` a part of it. With a pattern that is none, neither holds. */
const patternTestOf = (context: FilterContext, { args, name }: FunctionExtension): Test => {
  const [text, pattern] = args.map((arg) => valueOf(context, arg))
  const [, literal] = args
  const compile = makeCompiler()
  if (literal instanceof expressions.StringLiteral) {
    const compiled = compileIRegexp(literal.value)
    if (Either.isLeft(compiled)) context.cost.problem ??= `the pattern of ${name}() is invalid: ${compiled.left}`
    else context.cost.patternSize += compiled.right.programSize()
  } else context.cost.patternSize += largestPattern
  return (value, root) => {
    const found = text?.(value, root)
    const wanted = pattern?.(value, root)
    if (typeof found !== "string" || typeof wanted !== "string") return false
    const compiled = compile(wanted)
    return compiled !== null && (name === "match" ? compiled.matches(found) : compiled.test(found))
  }
}

/** The query of an expression; one that selects nothing for expressions without. */
const queryIn = (context: FilterContext, expression: FilterExpression | undefined): Query => {
  if (!(expression instanceof expressions.FilterQuery)) return () => []
  const query = context.inner(expression.path)
  return expression instanceof expressions.RootQuery ? (_, root) => query(root, root) : query
}

const single = (nodes: Nodes): ExactJson | undefined => (nodes.length === 1 ? nodes[0] : undefined)

const functionValueOf = (context: FilterContext, { args: [arg], name }: FunctionExtension): Read => {
  if (name === "length") {
    const read = valueOf(context, arg)
    return (value, root) => sizeOf(read(value, root))
  }
  const query = queryIn(context, arg)
  return name === "count" ? (value, root) => query(value, root).length : (value, root) => single(query(value, root))
}

const literalOf = (expression: FilterExpression | undefined): ExactJson | undefined =>
  expression instanceof expressions.NumberLiteral
    // Its own value is rounded.
    ? Either.getOrElse(parseExactJson(expression.token.value), () => expression.value)
    : expression instanceof expressions.StringLiteral || expression instanceof expressions.BooleanLiteral
    ? expression.value
    : expression instanceof expressions.NullLiteral
    ? null
    : undefined

const valueOf = (context: FilterContext, expression: FilterExpression | undefined): Read => {
  if (expression instanceof expressions.FunctionExtension) return functionValueOf(context, expression)
  const literal = literalOf(expression)
  if (literal !== undefined) return () => literal
  const query = queryIn(context, expression)
  return (value, root) => single(query(value, root))
}

/** Whether an expression is true of a value; a query is if it selects anything. */
export const testOf = (context: FilterContext, expression: FilterExpression): Test => {
  if (expression instanceof expressions.LogicalExpression) return testOf(context, expression.expression)
  if (expression instanceof expressions.PrefixExpression) {
    const test = testOf(context, expression.right)
    return (value, root) => !test(value, root)
  }
  if (expression instanceof expressions.InfixExpression) {
    const { left, operator, right } = expression
    const compare = comparisons[operator]
    if (compare !== undefined) {
      const [first, second] = [valueOf(context, left), valueOf(context, right)]
      return (value, root) => compare(first(value, root), second(value, root))
    }
    const [first, second] = [testOf(context, left), testOf(context, right)]
    return operator === "&&"
      ? (value, root) => first(value, root) && second(value, root)
      : (value, root) => first(value, root) || second(value, root)
  }
  if (expression instanceof expressions.FunctionExtension) return patternTestOf(context, expression)
  const query = queryIn(context, expression)
  return (value, root) => query(value, root).length > 0
}
