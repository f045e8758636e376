/** Compiles assertions once, and evaluates them against responses. */
import { Either, Option } from "effect"
import { RE2JS } from "re2js"
import type { AssertionResult } from "../../../../schema/check/Check.ts"
import type { Assertion } from "../../../../schema/monitor/Assertion.ts"
import { cut } from "../../tools/TrimText.ts"
import { excerptOf } from "./BodyExcerpt.ts"

/** Member names and item indexes, starting at the root. */
type JsonPath = ReadonlyArray<string | number>

/** One step: `.name` (the first needs no dot), `[0]`, `["key"]` or `['key']`. */
const step = /\.?([^.[\]"'\s][^.[\]]*)|\[(\d{1,9})\]|\[("(?:[^"\\]|\\.)*")\]|\['([^']*)'\]/y

const unquote = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** The steps of a path; the left side says where it is invalid. */
export const parseJsonPath = (text: string): Either.Either<JsonPath, string> => {
  const source = text.trim().replace(/^\$\.?/, "")
  const path: Array<string | number> = []
  step.lastIndex = 0
  while (step.lastIndex < source.length) {
    const at = step.lastIndex
    const match = step.exec(source)
    const [, name, index, quoted, single] = match ?? []
    // A name after another step needs a dot: `[0]name` is invalid.
    if (match === null || (name !== undefined && at > 0 && source[at] !== ".") || (at === 0 && source[at] === ".")) {
      return Either.left(`Invalid JSON path "${text}" at "${source.slice(at, at + 20)}"`)
    }
    if (name !== undefined) path.push(name)
    else if (index !== undefined) path.push(Number(index))
    else path.push(single ?? String(Option.getOrElse(unquote(quoted ?? ""), () => quoted)))
  }
  return Either.right(path)
}

/** The value at the path; none if a member or item is missing. Ignores inherited properties. */
export const readJsonPath = (path: JsonPath, root: unknown): Option.Option<unknown> => {
  let value = root
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return Option.none()
    value = Reflect.get(value, key)
  }
  return Option.some(value)
}

/** The parts of a response that assertions can read. */
export interface AssertionFacts {
  readonly status: number
  readonly latencyMs: number
  /** By lower-case name. */
  readonly header: (name: string) => string | undefined
  /** The part of the body that was read. */
  readonly body: () => string
  readonly bodyComplete: boolean
  /** The parsed body; none if it is not JSON. */
  readonly json: () => Option.Option<unknown>
  /** Whole days until the certificate expires; null without TLS. */
  readonly sslDays: number | null
}

export interface CompiledAssertion {
  readonly assertion: Assertion
  readonly path: JsonPath
  readonly pattern: RE2JS | null
}

/** The result of an assertion; `needsMore` is true if the part of the body that was read cannot decide it. */
export type AssertionJudgement = Omit<AssertionResult, "index"> & { readonly needsMore: boolean }

/** Limits a pattern's instructions. Matching takes up to instructions times text length, and would delay other checks. */
const largestPattern = 1000
const longestActual = 500

const compilePattern = (pattern: string): Either.Either<RE2JS, string> =>
  Either.try({
    try: () => RE2JS.compile(pattern),
    catch: (error) => (error instanceof Error ? error.message : String(error))
  }).pipe(
    Either.filterOrLeft((compiled) => compiled.programSize() <= largestPattern, () => `The pattern "${pattern}" is too large`)
  )

const takesNoValue = (assertion: Assertion): boolean => assertion.op === "exists" || assertion.op === "not_exists"

/** Validates and parses an assertion; the left side describes the error. */
export const compileAssertion = (assertion: Assertion): Either.Either<CompiledAssertion, string> =>
  Either.gen(function*() {
    const { source, op, path, value } = assertion
    if (source === "header" && (path ?? "").trim() === "") {
      return yield* Either.left("A header assertion requires the header name in path")
    }
    if (value === undefined && !takesNoValue(assertion)) return yield* Either.left(`The operator ${op} requires a value`)
    if (["lt", "lte", "gt", "gte"].includes(op) && Number.isNaN(toNumber(value))) {
      return yield* Either.left(`The operator ${op} requires a number in value`)
    }
    return {
      assertion,
      path: source === "json" ? yield* parseJsonPath(path ?? "") : [],
      pattern: op === "matches" ? yield* compilePattern(String(value)) : null
    }
  })

const toNumber = (value: unknown): number =>
  typeof value === "number" ? value : typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN

const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value) ?? "undefined")

/** Compares as text, or as numbers if both are numeric: `"200"` equals 200. */
const isEqual = (actual: unknown, expected: unknown): boolean =>
  toText(actual) === toText(expected) || toNumber(actual) === toNumber(expected)

const contains = (actual: unknown, expected: unknown): boolean =>
  Array.isArray(actual) ? actual.some((item) => isEqual(item, expected)) : toText(actual).includes(toText(expected))

type Holds = (actual: unknown, expected: unknown, pattern: RE2JS | null) => boolean

/** Each operator, applied to a value that exists. */
const holds = {
  eq: isEqual,
  neq: (actual, expected) => !isEqual(actual, expected),
  lt: (actual, expected) => toNumber(actual) < toNumber(expected),
  lte: (actual, expected) => toNumber(actual) <= toNumber(expected),
  gt: (actual, expected) => toNumber(actual) > toNumber(expected),
  gte: (actual, expected) => toNumber(actual) >= toNumber(expected),
  contains,
  not_contains: (actual, expected) => !contains(actual, expected),
  matches: (actual, _, pattern) => pattern?.test(toText(actual)) ?? false,
  exists: () => true,
  not_exists: () => false
} satisfies Record<Assertion["op"], Holds>

/** The operators that a missing value satisfies. */
const holdsForMissing: ReadonlySet<Assertion["op"]> = new Set(["neq", "not_contains", "not_exists"])

const phrases = {
  eq: "to equal",
  neq: "not to equal",
  lt: "below",
  lte: "at most",
  gt: "above",
  gte: "at least",
  contains: "to contain",
  not_contains: "not to contain",
  matches: "to match",
  exists: "to exist",
  not_exists: "not to exist"
} satisfies Record<Assertion["op"], string>

const subjects: Readonly<Record<Assertion["source"], (path: string) => string>> = {
  status: () => "status",
  latency: () => "latency (ms)",
  body: () => "body",
  ssl_days: () => "days until the certificate expires",
  header: (path) => `header ${path}`,
  json: (path) => (path === "" ? "JSON body" : `JSON ${path}`)
}

type Read = (facts: AssertionFacts, compiled: CompiledAssertion) => Option.Option<unknown>

const readers: Readonly<Record<Assertion["source"], Read>> = {
  status: ({ status }) => Option.some(status),
  latency: ({ latencyMs }) => Option.some(latencyMs),
  body: (facts) => Option.filter(Option.some(facts.body()), (body) => body !== ""),
  ssl_days: ({ sslDays }) => Option.fromNullable(sslDays),
  header: (facts, { assertion }) => Option.fromNullable(facts.header((assertion.path ?? "").trim().toLowerCase())),
  json: (facts, { path }) => Option.flatMap(facts.json(), (root) => readJsonPath(path, root))
}

/** True if the unread rest of a body could change the result: JSON needs all of it, text only if the read part has no match. */
const needsMore = ({ source, op }: Assertion, passed: boolean, facts: AssertionFacts): boolean => {
  if (facts.bodyComplete) return false
  if (source === "json") return true
  return source === "body" && ((passed && op === "not_contains") || (!passed && (op === "contains" || op === "matches")))
}

/** Why there is nothing to compare. */
const absence = ({ source }: Assertion, facts: AssertionFacts): string => {
  if (source !== "json" || Option.isSome(facts.json())) return "it is missing"
  const excerpt = excerptOf(facts.body())
  return excerpt === null ? "the body is empty" : `the body is not JSON (begins "${excerpt}")`
}

/** Evaluates one response. The message states the expectation and, on failure, the actual value. */
export const judgeAssertion = (compiled: CompiledAssertion, facts: AssertionFacts): AssertionJudgement => {
  const { assertion, pattern } = compiled
  const found = readers[assertion.source](facts, compiled)
  const passed = Option.match(found, {
    onNone: () => holdsForMissing.has(assertion.op),
    onSome: (actual) => holds[assertion.op](actual, assertion.value, pattern)
  })
  const actual = Option.getOrNull(Option.map(found, toText))
  const wanted = takesNoValue(assertion) ? "" : ` ${cut(toText(assertion.value), 100)}`
  const expectation = `Expected ${subjects[assertion.source](assertion.path ?? "")} ${phrases[assertion.op]}${wanted}`
  return {
    passed,
    actual: actual === null ? null : cut(actual, longestActual),
    message: passed
      ? expectation
      : actual === null
      ? `${expectation}, but ${absence(assertion, facts)}`
      : `${expectation}, got ${cut(actual, 100)}`,
    needsMore: needsMore(assertion, passed, facts)
  }
}
