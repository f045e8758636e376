/** Compiles assertions once, and evaluates them against responses. */
import { Either, Option } from "effect"
import type { RE2JS } from "re2js"
import type { AssertionResult } from "../../../../schema/check/Check.ts"
import type { Assertion } from "../../../../schema/monitor/Assertion.ts"
import type { ExactJson } from "../../tools/json/ExactJson.ts"
import { cut } from "../../tools/text/TrimText.ts"
import { beginningOf } from "./BodyExcerpt.ts"
import { contains, equals, type Expected, expectedOf, order, textOf } from "./Comparison.ts"
import { compileJsonPath, type JsonPath } from "./json/JsonPath.ts"
import { compilePattern } from "./Pattern.ts"

/** The parts of a response that assertions can read. */
export interface AssertionFacts {
  readonly status: number
  readonly latencyMs: number
  /** By lower-case name. */
  readonly header: (name: string) => string | undefined
  /** The part of the body that was read. */
  readonly body: () => string
  readonly bodyComplete: boolean
  /** The parsed body; the left side says why there is none, such as "is not JSON". */
  readonly json: () => Either.Either<ExactJson, string>
  /** Whole days until the certificate expires; null without TLS. */
  readonly sslDays: number | null
}

export interface CompiledAssertion {
  readonly assertion: Assertion
  /** Of an assertion on JSON. */
  readonly path: JsonPath | null
  readonly expected: Expected
  readonly pattern: RE2JS | null
}

/** The fault of an assertion, and the field that has it. */
export interface AssertionFault {
  readonly field: "path" | "value"
  readonly message: string
}

/** The result of an assertion; `needsMore` is true if the part of the body that was read cannot decide it. */
export type AssertionJudgement = Omit<AssertionResult, "index"> & { readonly needsMore: boolean }

const longestActual = 500

const takesNoValue = (assertion: Assertion): boolean => assertion.op === "exists" || assertion.op === "not_exists"

const fault = (field: AssertionFault["field"]) => (message: string): AssertionFault => ({ field, message })

/** Validates and parses an assertion. */
export const compileAssertion = (assertion: Assertion): Either.Either<CompiledAssertion, AssertionFault> =>
  Either.gen(function*() {
    const { source, op, path, value = "" } = assertion
    const expected = expectedOf(value)
    if (source === "header" && (path ?? "").trim() === "") {
      return yield* Either.left(fault("path")("A header assertion requires the header name in path"))
    }
    if (assertion.value === undefined && !takesNoValue(assertion)) {
      return yield* Either.left(fault("value")(`The operator ${op} requires a value`))
    }
    if (op in ordered && expected.decimal === null) {
      return yield* Either.left(fault("value")(`The operator ${op} requires a number in value`))
    }
    return {
      assertion,
      path: source === "json" ? yield* Either.mapLeft(compileJsonPath(path ?? ""), fault("path")) : null,
      expected,
      pattern: op === "matches" ? yield* Either.mapLeft(compilePattern(expected.text), fault("value")) : null
    }
  })

type Holds = (actual: ExactJson, compiled: CompiledAssertion) => boolean

const orderHolds = (accepts: (order: number) => boolean): Holds => (actual, { expected }) => {
  const found = order(actual, expected)
  return found !== null && accepts(found)
}

/** The operators that compare numbers. */
const ordered = {
  lt: orderHolds((found) => found < 0),
  lte: orderHolds((found) => found <= 0),
  gt: orderHolds((found) => found > 0),
  gte: orderHolds((found) => found >= 0)
}

/** Each operator, applied to a value that exists. */
const holds = {
  ...ordered,
  eq: (actual, { expected }) => equals(actual, expected),
  neq: (actual, { expected }) => !equals(actual, expected),
  contains: (actual, { expected }) => contains(actual, expected),
  not_contains: (actual, { expected }) => !contains(actual, expected),
  matches: (actual, { pattern }) => pattern?.test(textOf(actual)) ?? false,
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

type Values = ReadonlyArray<ExactJson>

const present = (value: ExactJson | undefined): Values => (value === undefined || value === null ? [] : [value])

/** The values that an assertion looks at: one at most, except for a JSON path that selects several. */
const readers: Readonly<Record<Assertion["source"], (facts: AssertionFacts, compiled: CompiledAssertion) => Values>> = {
  status: ({ status }) => [status],
  latency: ({ latencyMs }) => [latencyMs],
  body: (facts) => present(facts.body() === "" ? null : facts.body()),
  ssl_days: ({ sslDays }) => present(sslDays),
  header: (facts, { assertion }) => present(facts.header((assertion.path ?? "").trim().toLowerCase())),
  json: (facts, { path }) => Either.match(facts.json(), { onLeft: () => [], onRight: (root) => path?.select(root) ?? [] })
}

/** Anchors and boundaries: what follows a match can undo it. */
const looksAhead = /[$]|\\[bBzZ]/

type IsOpen = (passed: boolean, text: string, expected: string) => boolean

const always: IsOpen = () => true
const untilFound: IsOpen = (passed) => !passed
const whileAbsent: IsOpen = (passed) => passed
const whileShort: IsOpen = (_, text, expected) => text.length < expected.length && expected.startsWith(text)

/** Whether more text could change what the beginning of a text says. */
const isOpen = {
  eq: whileShort,
  neq: whileShort,
  lt: always,
  lte: always,
  gt: always,
  gte: always,
  contains: untilFound,
  not_contains: whileAbsent,
  matches: (passed, _, expected) => !passed || looksAhead.test(expected),
  exists: untilFound,
  not_exists: whileAbsent
} satisfies Record<Assertion["op"], IsOpen>

/** True if the unread rest of a body could change the result; JSON needs all of it. */
const needsMore = ({ assertion: { op, source }, expected }: CompiledAssertion, passed: boolean, facts: AssertionFacts): boolean =>
  !facts.bodyComplete && (source === "json" || (source === "body" && isOpen[op](passed, facts.body(), expected.text)))

/** Why there is nothing to compare. */
const absence = ({ source }: Assertion, facts: AssertionFacts): string => {
  const problem = source === "json" ? Option.getOrNull(Either.getLeft(facts.json())) : null
  if (problem === null) return "it is missing"
  return facts.body().trim() === "" ? "the body is empty" : `the body ${problem} (${beginningOf(facts.body())})`
}

/** The first values as text, as many as can be shown. */
const listed = (values: Values): string => {
  let text = ""
  for (const value of values) {
    text += `${text === "" ? "" : ", "}${textOf(value)}`
    if (text.length > longestActual) break
  }
  return cut(text, longestActual)
}

/** `Expected status to equal 200` */
const expectationOf = ({ assertion, expected }: CompiledAssertion, which: string): string => {
  const subject = subjects[assertion.source](assertion.path ?? "")
  const wanted = takesNoValue(assertion) ? "" : ` ${cut(expected.text, 100)}`
  return `Expected ${which}${subject} ${phrases[assertion.op]}${wanted}`
}

/** An answer that is no JSON meets no expectation of JSON, so that an error page does not pass for one without `errors`. */
const isMet = ({ op, source }: Assertion, facts: AssertionFacts): boolean =>
  holdsForMissing.has(op) && (source !== "json" || Either.isRight(facts.json()))

/**
 * Evaluates one response. If a JSON path selects several values, each must hold. The message states the expectation and, on
 * failure, the value that fails.
 */
export const judgeAssertion = (compiled: CompiledAssertion, facts: AssertionFacts): AssertionJudgement => {
  const { assertion } = compiled
  const { op } = assertion
  const found = readers[assertion.source](facts, compiled)
  const failing = found.findIndex((actual) => !holds[op](actual, compiled))
  const passed = found.length === 0 ? isMet(assertion, facts) : failing === -1
  const areSeveral = found.length > 1 && !takesNoValue(assertion)
  const actual = found.length === 0 ? null : listed(areSeveral && !passed ? found.slice(failing, failing + 1) : found)
  const expectation = expectationOf(compiled, areSeveral ? `each of the ${found.length} values of ` : "")
  const finding = areSeveral ? `but value ${failing + 1} is` : "got"
  return {
    passed,
    actual,
    message: passed
      ? expectation
      : actual === null
      ? `${expectation}, but ${absence(assertion, facts)}`
      : `${expectation}, ${finding} ${cut(actual, 100)}`,
    needsMore: needsMore(compiled, passed, facts)
  }
}
