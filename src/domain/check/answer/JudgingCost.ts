/** Estimates the worst-case time of judging a response in advance: a tenant's patterns can be slow on purpose. */
import { Either } from "effect"
import type { AssertionFacts, CompiledAssertion } from "./AssertionCheck.ts"
import type { Expectations } from "./HttpVerdict.ts"

/**
 * Nanoseconds, measured with the worst known inputs. RE2JS takes up to 50 per pattern instruction and text character; a text
 * search takes 0.2 per needle character and text character. Parsing JSON takes up to 150 per character; serializing it, once
 * per assertion that reads it, up to 40.
 */
const ns = { perInstruction: 50, perNeedle: 0.2, perCharacter: 2, parsing: 150, writing: 40 } as const

/** Judging that can take longer runs in a separate thread, ms. */
export const inlineBudgetMs = 5

/** Maximum length of a number as text: a status, a latency. */
const shortText = 20

const subjectLength = ({ assertion: { path, source } }: CompiledAssertion, facts: AssertionFacts): number =>
  source === "body" || source === "json"
    ? facts.body().length
    : source === "header"
    ? facts.header((path ?? "").trim().toLowerCase())?.length ?? 0
    : shortText

const searchCost = (needle: string, length: number): number => (ns.perCharacter + ns.perNeedle * needle.length) * length

const assertionCost = (compiled: CompiledAssertion, facts: AssertionFacts): number => {
  const { assertion, pattern } = compiled
  const length = subjectLength(compiled, facts)
  const reading = assertion.source === "json" ? ns.writing * length : ns.perCharacter * length
  if (pattern !== null) return reading + ns.perInstruction * pattern.programSize() * length
  const searches = assertion.op === "contains" || assertion.op === "not_contains"
  return searches ? reading + searchCost(String(assertion.value), length) : reading
}

/** The worst-case time of judging these facts, ms. */
export const judgingCostMs = ({ assertions, target }: Expectations, facts: AssertionFacts): number => {
  let cost = 0
  let readsJson = false
  if (target.keyword !== null) cost += searchCost(target.keyword, facts.body().length)
  if (target.keywordAbsent !== null) cost += searchCost(target.keywordAbsent, facts.body().length)
  for (const compiled of assertions) {
    if (Either.isLeft(compiled)) continue
    readsJson ||= compiled.right.assertion.source === "json"
    cost += assertionCost(compiled.right, facts)
  }
  return (cost + (readsJson ? ns.parsing * facts.body().length : 0)) / 1e6
}
