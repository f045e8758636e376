/** The verdict on a check: the worst of the problems that its expectations found. Shared by all kinds that expect something. */
import { Either } from "effect"
import type { AssertionResult, Cause, Outcome } from "../../../../schema/check/Check.ts"
import type { Assertion, Severity } from "../../../../schema/monitor/Assertion.ts"
import {
  type AssertionFacts,
  type AssertionFault,
  type AssertionJudgement,
  type CompiledAssertion,
  judgeAssertion
} from "./AssertionCheck.ts"

export interface CheckVerdict {
  readonly outcome: Outcome
  readonly cause: Cause | null
  readonly error: string | null
  readonly assertions: ReadonlyArray<AssertionResult>
}

export interface Problem {
  readonly severity: Severity
  readonly cause: Cause
  readonly error: string
}

export const down = (cause: Cause, error: string): Problem => ({ severity: "down", cause, error })

export const failing = (cause: Cause, error: string): CheckVerdict => ({ outcome: "down", cause, error, assertions: [] })

/** Reports the first problem of the worst severity; down is worse than degraded. */
export const verdictOf = (
  found: ReadonlyArray<Problem | null>,
  assertions: ReadonlyArray<AssertionResult> = []
): CheckVerdict => {
  const problems = found.filter((problem) => problem !== null)
  const worst = problems.find(({ severity }) => severity === "down") ?? problems[0]
  return { outcome: worst?.severity ?? "up", cause: worst?.cause ?? null, error: worst?.error ?? null, assertions }
}

/** `what` took too long, such as "a response". */
export const slowProblem = (degradedAfterMs: number | null, latencyMs: number, what: string): Problem | null =>
  degradedAfterMs !== null && latencyMs > degradedAfterMs
    ? {
      severity: "degraded",
      cause: "slow",
      error: `Expected ${what} within ${degradedAfterMs} ms, but it took ${Math.round(latencyMs)} ms`
    }
    : null

/** `warning` is the text if the certificate expires soon, else null. */
export const expiryProblem = (warning: string | null): Problem | null =>
  warning === null ? null : { severity: "degraded", cause: "ssl_expiry", error: warning }

/** `warning` is the text if the server speaks an outdated TLS version, else null: old clients still reach it. */
export const outdatedTlsProblem = (warning: string | null): Problem | null =>
  warning === null ? null : { severity: "degraded", cause: "tls_version", error: warning }

/** `what` names the part of the expectations. */
export const tooCostly = (what: string): string =>
  `${what} needs more than 1 s on this answer; simplify it or match a shorter part. ` +
  "It is evaluated again after 10 minutes, or when the monitor changes."

export const tooLarge = "The body is larger than 1 MiB, and its first 1 MiB does not show"

type Asserted = readonly [AssertionResult, Problem | null]

const settled = (index: number, severity: Severity, { needsMore, ...judged }: AssertionJudgement): Asserted => {
  const result = { index, ...judged, passed: judged.passed && !needsMore }
  if (result.passed) return [result, null]
  return [
    result,
    needsMore
      ? { severity, cause: "body_too_large", error: `${tooLarge} whether this assertion holds: ${judged.message}` }
      : { severity, cause: "assertion", error: judged.message }
  ]
}

/** The result of each assertion, with the problem that a failed one causes. `judge` returns null if judging takes too long. */
export const assertionOutcomes = (
  assertions: ReadonlyArray<Assertion>,
  compiled: ReadonlyArray<Either.Either<CompiledAssertion, AssertionFault>>,
  facts: AssertionFacts,
  judge: (index: number, compiled: CompiledAssertion, facts: AssertionFacts) => AssertionJudgement | null = (_, one) =>
    judgeAssertion(one, facts)
): ReadonlyArray<Asserted> =>
  compiled.map((one, index): Asserted => {
    const severity = assertions[index]?.severity ?? "down"
    const failed = (message: string): Asserted => [
      { index, passed: false, actual: null, message },
      { severity, cause: "assertion", error: message }
    ]
    if (Either.isLeft(one)) return failed(`Assertion ${index + 1} is invalid: ${one.left.message}`)
    const judgement = judge(index, one.right, facts)
    return judgement === null
      ? failed(tooCostly(`${one.right.pattern === null ? "Assertion" : "The pattern of assertion"} ${index}`))
      : settled(index, severity, judgement)
  })
