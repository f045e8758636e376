/** Compares an HTTP response with its monitor's expectations: the outcome, its cause and an error text. */
import { Either, Option } from "effect"
import type { AssertionResult, Cause, Outcome } from "../../../schema/check/Check.ts"
import type { Severity } from "../../../schema/monitor/Assertion.ts"
import type { HttpTarget } from "../../../schema/monitor/kinds/http.ts"
import { compileAssertion, judgeAssertion } from "./AssertionCheck.ts"
import type { AssertionFacts, AssertionJudgement, CompiledAssertion } from "./AssertionCheck.ts"
import { acceptsStatus, parseExpectedStatus } from "./ExpectedStatus.ts"
import type { StatusRange } from "./ExpectedStatus.ts"

/** A target's expectations, parsed once for many checks. */
export interface Expectations {
  readonly target: HttpTarget
  readonly status: Either.Either<ReadonlyArray<StatusRange>, string>
  readonly assertions: ReadonlyArray<Either.Either<CompiledAssertion, string>>
  readonly needsBody: boolean
}

export interface HttpFacts extends AssertionFacts {
  /** The warning text if the certificate expires within the monitor's `sslExpiryDays`, else null. */
  readonly expiresSoon: string | null
}

export interface Verdict {
  readonly outcome: Outcome
  readonly cause: Cause | null
  readonly error: string | null
  readonly assertions: ReadonlyArray<AssertionResult>
}

/**
 * What reading an answer came to, for each part of the expectations by itself: that can take long, and may have been done
 * elsewhere. Null where it takes too long.
 */
export interface Findings {
  readonly contains: (part: "keyword" | "keywordAbsent", text: string, facts: AssertionFacts) => boolean | null
  readonly judge: (index: number, compiled: CompiledAssertion, facts: AssertionFacts) => AssertionJudgement | null
}

/** Reads the answer here and now. */
const readHere: Findings = {
  contains: (_, text, facts) => facts.body().includes(text),
  judge: (_, compiled, facts) => judgeAssertion(compiled, facts)
}

interface Problem {
  readonly severity: Severity
  readonly cause: Cause
  readonly error: string
}

/** An empty keyword expects nothing. */
export const isBlank = (keyword: string | null): keyword is "" | null => keyword === null || keyword === ""

export const readExpectations = (target: HttpTarget): Expectations => ({
  target,
  status: parseExpectedStatus(target.expectedStatus),
  assertions: target.assertions.map(compileAssertion),
  needsBody: !isBlank(target.keyword) || !isBlank(target.keywordAbsent) ||
    target.assertions.some(({ source }) => source === "body" || source === "json")
})

const tooLarge = "The body is larger than 1 MiB, and its first 1 MiB does not show"

const quote = (text: string): string => `"${text.length > 100 ? `${text.slice(0, 99)}…` : text}"`

const statusProblem = ({ status, target }: Expectations, facts: HttpFacts): Problem | null =>
  Either.match(status, {
    onLeft: (wrong): Problem => ({
      severity: "down",
      cause: "internal_error",
      error: `expectedStatus is invalid: ${wrong}`
    }),
    onRight: (ranges) =>
      acceptsStatus(ranges, facts.status)
        ? null
        : { severity: "down", cause: "status", error: `Expected status ${target.expectedStatus}, got ${facts.status}` }
  })

/** `what` names the part of the expectations. */
const tooCostly = (what: string): string =>
  `${what} needs more than 1 s on this answer; simplify it or match a shorter part. ` +
  "It is evaluated again after 10 minutes, or when the monitor changes."

const keywordProblem = ({ target: { keyword } }: Expectations, facts: HttpFacts, findings: Findings): Problem | null => {
  if (isBlank(keyword)) return null
  const found = findings.contains("keyword", keyword, facts)
  if (found === true) return null
  if (found === null) return { severity: "down", cause: "keyword", error: tooCostly("The keyword") }
  const wanted = `the body to contain ${quote(keyword)}`
  return facts.bodyComplete
    ? { severity: "down", cause: "keyword", error: `Expected ${wanted}, but it does not` }
    : { severity: "down", cause: "body_too_large", error: `${tooLarge} whether it contains ${quote(keyword)}` }
}

const absentProblem = ({ target: { keywordAbsent } }: Expectations, facts: HttpFacts, findings: Findings): Problem | null => {
  if (isBlank(keywordAbsent)) return null
  const found = findings.contains("keywordAbsent", keywordAbsent, facts)
  if (found === null) return { severity: "down", cause: "keyword", error: tooCostly("The absent keyword") }
  if (found) {
    return { severity: "down", cause: "keyword", error: `Expected the body not to contain ${quote(keywordAbsent)}, but it does` }
  }
  return facts.bodyComplete
    ? null
    : { severity: "down", cause: "body_too_large", error: `${tooLarge} that it does not contain ${quote(keywordAbsent)}` }
}

const slowProblem = ({ target: { degradedAfterMs } }: Expectations, facts: HttpFacts): Problem | null =>
  degradedAfterMs !== null && facts.latencyMs > degradedAfterMs
    ? {
      severity: "degraded",
      cause: "slow",
      error: `Expected a response within ${degradedAfterMs} ms, but it took ${Math.round(facts.latencyMs)} ms`
    }
    : null

/** The result of each assertion, with the problem that a failed one causes. */
const assertionOutcomes = (expectations: Expectations, facts: HttpFacts, findings: Findings) =>
  expectations.assertions.map((compiled, index): readonly [AssertionResult, Problem | null] => {
    const severity = expectations.target.assertions[index]?.severity ?? "down"
    if (Either.isLeft(compiled)) {
      const message = `Assertion ${index + 1} is invalid: ${compiled.left}`
      return [{ index, passed: false, actual: null, message }, { severity, cause: "assertion", error: message }]
    }
    const judgement = findings.judge(index, compiled.right, facts)
    if (judgement === null) {
      const message = tooCostly(`${compiled.right.pattern === null ? "Assertion" : "The pattern of assertion"} ${index}`)
      return [{ index, passed: false, actual: null, message }, { severity, cause: "assertion", error: message }]
    }
    const { needsMore, ...judged } = judgement
    const result = { index, ...judged, passed: judged.passed && !needsMore }
    if (result.passed) return [result, null]
    return [
      result,
      needsMore
        ? { severity, cause: "body_too_large", error: `${tooLarge} whether this assertion holds: ${judged.message}` }
        : { severity, cause: "assertion", error: judged.message }
    ]
  })

/** Reports the first problem of the worst severity; down is worse than degraded. */
export const judgeHttp = (expectations: Expectations, facts: HttpFacts, findings: Findings = readHere): Verdict => {
  const asserted = assertionOutcomes(expectations, facts, findings)
  const problems = [
    statusProblem(expectations, facts),
    keywordProblem(expectations, facts, findings),
    absentProblem(expectations, facts, findings),
    ...asserted.map(([, problem]) => problem),
    facts.expiresSoon === null ? null : { severity: "degraded", cause: "ssl_expiry", error: facts.expiresSoon } satisfies Problem,
    slowProblem(expectations, facts)
  ].filter((problem) => problem !== null)
  const worst = problems.find(({ severity }) => severity === "down") ?? problems[0]
  return {
    outcome: worst?.severity ?? "up",
    cause: worst?.cause ?? null,
    error: worst?.error ?? null,
    assertions: asserted.map(([result]) => result)
  }
}

/** Parses JSON and ignores a byte order mark; none if the text is not JSON. */
export const parseJson: (text: string) => Option.Option<unknown> = Option.liftThrowable((text: string): unknown =>
  JSON.parse(text.replace(/^\uFEFF/, ""))
)
