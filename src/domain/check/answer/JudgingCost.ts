/** Estimates the worst-case time of judging a response in advance: a tenant's patterns can be slow on purpose. */
import { Either } from "effect"
import type { AssertionFacts, CompiledAssertion } from "./AssertionCheck.ts"
import type { Expectations } from "./HttpVerdict.ts"

/**
 * Nanoseconds, measured with the worst known inputs. RE2JS takes up to 50 per pattern instruction and text character; a text
 * search takes 0.2 per needle character and text character. Parsing JSON takes up to 200 per character; serializing it, once
 * per assertion that reads it, up to 60. A JSON path takes up to 600 for each value that it visits.
 */
const ns = { perInstruction: 50, perNeedle: 0.2, perCharacter: 2, parsing: 200, writing: 60, perVisit: 600 } as const

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

const searches = ({ assertion: { op } }: CompiledAssertion): boolean =>
  op === "contains" || op === "not_contains" || op === "matches"

/** The cost of reading a text once and comparing it, ns. */
const comparingCost = (compiled: CompiledAssertion, length: number): number => {
  const { assertion, expected, pattern } = compiled
  const reading = assertion.source === "json" ? ns.writing * length : ns.perCharacter * length
  if (pattern !== null) return reading + ns.perInstruction * pattern.programSize() * length
  return searches(compiled) ? reading + searchCost(expected.text, length) : reading
}

/** A body has at most one value in two characters. A step of a path may visit all of them for each value of the step before. */
const visitsOf = (loops: number, length: number): number => (length / 2 + 1) ** loops

const assertionCost = (compiled: CompiledAssertion, facts: AssertionFacts): number => {
  const length = subjectLength(compiled, facts)
  const comparing = comparingCost(compiled, length)
  if (compiled.path === null || compiled.path.isSingular) return comparing
  const { loops, patternSize } = compiled.path
  // Only searches read every value as text. The message reads one.
  const perVisit = ns.perVisit + ns.perInstruction * patternSize * length + (searches(compiled) ? comparing : 0)
  return visitsOf(loops, length) * perVisit + comparing
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
