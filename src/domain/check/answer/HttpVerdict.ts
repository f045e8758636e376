/** Compares an HTTP response with its monitor's expectations: the outcome, its cause and an error text. */
import { Either } from "effect"
import type { HttpTarget } from "../../../../schema/monitor/kinds/http.ts"
import { cut } from "../../tools/text/TrimText.ts"
import {
  type AssertionFacts,
  type AssertionJudgement,
  compileAssertion,
  type CompiledAssertion,
  judgeAssertion
} from "./AssertionCheck.ts"
import { beginningOf, firstLineOf, titleOf } from "./BodyExcerpt.ts"
import {
  assertionOutcomes,
  type CheckVerdict,
  down,
  expiryProblem,
  outdatedTlsProblem,
  type Problem,
  slowProblem,
  tooCostly,
  tooLarge,
  verdictOf
} from "./CheckVerdict.ts"
import { acceptsStatus, parseExpectedStatus } from "./ExpectedStatus.ts"

/** A target's expectations, parsed once for many checks. */
export type Expectations = ReturnType<typeof readExpectations>

export interface HttpFacts extends AssertionFacts {
  /** The reason phrase of the status line; empty if it has none. */
  readonly statusText: string
  /** The URL that answered, if it is not the monitor's own, else null. */
  readonly finalUrl: string | null
  /** The warning text if the certificate expires within the monitor's `sslExpiryDays`, else null. */
  readonly expiresSoon: string | null
  /** The warning text if a server speaks a TLS version that browsers refuse, else null. */
  readonly outdatedTls: string | null
}

/** The results of reading a response, which another thread may have found; null where that takes too long. */
export interface Findings {
  readonly contains: (part: "keyword" | "keywordAbsent", text: string, facts: AssertionFacts) => boolean | null
  readonly judge: (index: number, compiled: CompiledAssertion, facts: AssertionFacts) => AssertionJudgement | null
}

/** Reads the answer here and now. */
const readHere: Findings = {
  contains: (_, text, facts) => facts.body().includes(text),
  judge: (_, compiled, facts) => judgeAssertion(compiled, facts)
}

/** An empty keyword expects nothing. */
export const isBlank = (keyword: string | null): keyword is "" | null => keyword === null || keyword === ""

export const readExpectations = (target: HttpTarget) => ({
  target,
  status: parseExpectedStatus(target.expectedStatus),
  assertions: target.assertions.map(compileAssertion),
  needsBody: !isBlank(target.keyword) || !isBlank(target.keywordAbsent) ||
    target.assertions.some(({ source }) => source === "body" || source === "json")
})

const quote = (text: string): string => `"${cut(text, 100)}"`

/** `503 Service Unavailable: upstream timed out`; after a redirect also from where. */
const answered = (facts: HttpFacts): string => {
  const line = firstLineOf(facts.body())
  const status = `${facts.status}${facts.statusText === "" ? "" : ` ${facts.statusText.slice(0, 100)}`}`
  const from = facts.finalUrl === null ? "" : ` from ${facts.finalUrl}`
  return `${status}${from}${line === null || line === facts.statusText ? "" : `: ${line}`}`
}

/** Describes the body, to help a person find the cause. */
const insteadOf = (facts: HttpFacts): string => {
  const title = titleOf(facts.body())
  const parts = [
    facts.finalUrl === null ? null : `redirected to ${facts.finalUrl}`,
    title === null ? null : `title "${title}"`,
    beginningOf(facts.body())
  ].filter((part) => part !== null)
  return ` (${parts.join(", ")})`
}

const statusProblem = ({ status, target }: Expectations, facts: HttpFacts): Problem | null =>
  Either.match(status, {
    onLeft: (wrong) => down("internal_error", `expectedStatus is invalid: ${wrong}`),
    onRight: (ranges) =>
      acceptsStatus(ranges, facts.status)
        ? null
        // Nobody asked the server to leave HTTP.
        : down(
          facts.status === 101 ? "protocol_error" : "status",
          `Expected status ${target.expectedStatus}, got ${answered(facts)}`
        )
  })

/** An answer to HEAD never has a body (RFC 9110, section 9.3.2), whatever its target is like. */
const headHint = " (an answer to HEAD has no body; set method to GET)"

const keywordProblem = ({ target: { keyword, method } }: Expectations, facts: HttpFacts, findings: Findings): Problem | null => {
  if (isBlank(keyword)) return null
  const found = findings.contains("keyword", keyword, facts)
  if (found === true) return null
  if (found === null) return down("keyword", tooCostly("The keyword"))
  const wanted = `the body to contain ${quote(keyword)}`
  return facts.bodyComplete
    ? down("keyword", `Expected ${wanted}, but it does not${method === "HEAD" ? headHint : insteadOf(facts)}`)
    : down("body_too_large", `${tooLarge} whether it contains ${quote(keyword)}`)
}

const absentProblem = ({ target: { keywordAbsent } }: Expectations, facts: HttpFacts, findings: Findings): Problem | null => {
  if (isBlank(keywordAbsent)) return null
  const found = findings.contains("keywordAbsent", keywordAbsent, facts)
  if (found === null) return down("keyword", tooCostly("The absent keyword"))
  if (found) {
    const from = facts.finalUrl === null ? "" : ` (redirected to ${facts.finalUrl})`
    return down("keyword", `Expected the body not to contain ${quote(keywordAbsent)}, but it does${from}`)
  }
  return facts.bodyComplete
    ? null
    : down("body_too_large", `${tooLarge} that it does not contain ${quote(keywordAbsent)}`)
}

export const judgeHttp = (expectations: Expectations, facts: HttpFacts, findings: Findings = readHere): CheckVerdict => {
  const { assertions: compiled, target } = expectations
  const asserted = assertionOutcomes(target.assertions, compiled, facts, findings.judge)
  return verdictOf(
    [
      statusProblem(expectations, facts),
      keywordProblem(expectations, facts, findings),
      absentProblem(expectations, facts, findings),
      ...asserted.map(([, problem]) => problem),
      expiryProblem(facts.expiresSoon),
      outdatedTlsProblem(facts.outdatedTls),
      slowProblem(target.degradedAfterMs, facts.latencyMs, "a response")
    ],
    asserted.map(([result]) => result)
  )
}

/** True if only the body explains what is wrong with a status. */
export const explainsStatus = ({ status }: Expectations, code: number): boolean =>
  Either.match(status, { onLeft: () => false, onRight: (ranges) => !acceptsStatus(ranges, code) })
