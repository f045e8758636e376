/** Judges responses: inline if the worst case is a few milliseconds, else in a thread, because tenants choose patterns and keywords. */
import { Effect, Either } from "effect"
import { availableParallelism } from "node:os"
import { Counter } from "prom-client"
import type { Assignment } from "../../../schema/check/Bus.ts"
import type { AssertionJudgement } from "../../domain/check/answer/AssertionCheck.ts"
import type { CheckVerdict } from "../../domain/check/answer/CheckVerdict.ts"
import { type Expectations, type Findings, type HttpFacts, isBlank, judgeHttp } from "../../domain/check/answer/HttpVerdict.ts"
import { inlineBudgetMs, judgingCostMs } from "../../domain/check/answer/JudgingCost.ts"
import { EgressGuard } from "../../egress/EgressGuard.ts"
import { Overloaded } from "../Overloaded.ts"
import type { Finding, JudgeJob, Part } from "./JudgeJob.ts"
import { type JobEnd, makeJudgePool } from "./JudgePool.ts"

const overruns = new Counter({
  name: "belltower_judging_overruns_total",
  help: "Assertions and keywords that exceeded their time limit on a response"
})

const overloaded = new Overloaded({
  resource: "judging",
  message: "The response was not judged: this workspace has too many responses queued. Simplify the patterns of its assertions."
})

/** Time limit of one job in a thread, ms. */
const jobMs = 1000

/** After this many overruns, all remaining parts of a response count as too slow. */
const maxJobs = 3

/** Time limit for queueing and judging a response in total, ms. */
const totalLimitMs = 15_000

/** Left: a defect, or `Overloaded`. */
type Judged = (verdict: Either.Either<CheckVerdict, unknown>) => void

const partsOf = ({ assertions, target }: Expectations): ReadonlyArray<Part> => [
  ...(isBlank(target.keyword) ? [] : ["keyword" as const]),
  ...(isBlank(target.keywordAbsent) ? [] : ["keywordAbsent" as const]),
  ...assertions.flatMap((compiled, index) => (Either.isRight(compiled) ? [index] : []))
]

const headersOf = ({ target }: Expectations, facts: HttpFacts): Readonly<Record<string, string>> =>
  Object.fromEntries(target.assertions.flatMap(({ path = "", source }): ReadonlyArray<readonly [string, string]> => {
    const name = path.trim().toLowerCase()
    const value = source === "header" ? facts.header(name) : undefined
    return value === undefined ? [] : [[name, value]]
  }))

const jobOf = (assignment: Assignment, expectations: Expectations, facts: HttpFacts): Omit<JudgeJob, "parts"> => ({
  key: `${assignment.monitorId}/${assignment.revision}`,
  target: expectations.target,
  facts: {
    status: facts.status,
    latencyMs: facts.latencyMs,
    bodyComplete: facts.bodyComplete,
    sslDays: facts.sslDays,
    headers: headersOf(expectations, facts),
    body: facts.body()
  }
})

const findingsOf = (found: ReadonlyMap<Part, Finding>): Findings => {
  const judgementOf = (finding: Finding | undefined): AssertionJudgement | null => typeof finding === "object" ? finding : null
  const containment = (finding: Finding | undefined): boolean | null => (typeof finding === "boolean" ? finding : null)
  return { contains: (part) => containment(found.get(part)), judge: (index) => judgementOf(found.get(index)) }
}

/** How long a part is skipped, ms. An edited monitor gets a new assignment, which starts without quarantine. */
export const quarantineMs = 600_000

/**
 * Remembers which parts of a monitor's expectations take too long, so they do not cost thread time on every check. `now` in ms
 * since 1970.
 */
export const makeQuarantine = (now: () => number) => {
  const until = new WeakMap<Assignment, Map<Part, number>>()
  return {
    add: (assignment: Assignment, part: Part): void => {
      const parts = until.get(assignment) ?? new Map<Part, number>()
      until.set(assignment, parts.set(part, now() + quarantineMs))
    },
    has: (assignment: Assignment, part: Part): boolean => (until.get(assignment)?.get(part) ?? Number.NEGATIVE_INFINITY) > now()
  }
}

const threads = Math.max(1, Math.min(2, availableParallelism() - 1))

export class Judging extends Effect.Service<Judging>()("belltower/Judging", {
  scoped: Effect.gen(function*() {
    const { deadlines } = yield* EgressGuard
    const pool = makeJudgePool({ threads, deadlineMs: jobMs, deadlines })
    yield* Effect.addFinalizer(() => Effect.sync(pool.close))
    const clock = yield* Effect.clock
    const quarantine = makeQuarantine(() => clock.unsafeCurrentTimeMillis())

    /** Judges in one job of a thread, or in several if parts overrun. */
    const judgeApart = (assignment: Assignment, expectations: Expectations, facts: HttpFacts, done: Judged): () => void => {
      const job = jobOf(assignment, expectations, facts)
      const found = new Map<Part, Finding>()
      let left = partsOf(expectations).filter((part) => !quarantine.has(assignment, part))
      let jobs = 0
      let giveUp: (() => void) | null = null
      const settle = (verdict: Either.Either<CheckVerdict, unknown>): void => {
        cancelDeadline()
        giveUp?.()
        done(verdict)
      }
      const conclude = (): void => settle(Either.try(() => judgeHttp(expectations, facts, findingsOf(found))))
      const overrun = (part: Part): void => {
        // Only the first part of a job had all its time; a later part gets a job of its own.
        const isToBlame = part === left[0]
        left = left.slice(left.indexOf(part))
        const over = ++jobs === maxJobs ? left : left.slice(0, isToBlame ? 1 : 0)
        for (const one of over) quarantine.add(assignment, one)
        overruns.inc(over.length)
        left = left.slice(over.length)
        submit()
      }
      const ended = (how: JobEnd): void => {
        giveUp = null
        if (how._tag === "Overrun") overrun(how.part)
        else if (how._tag === "Done") conclude()
        else if (how._tag === "Displaced") settle(Either.left(overloaded))
        else settle(Either.left(how.cause))
      }
      const submit = (): void => {
        if (left.length === 0) return conclude()
        const listener = { found: (part: Part, finding: Finding) => void found.set(part, finding), ended }
        giveUp = pool.submit(assignment.workspaceId, { ...job, parts: left }, listener)
        if (giveUp === null) settle(Either.left(overloaded))
      }
      const cancelDeadline = deadlines.after(totalLimitMs, () => settle(Either.left(overloaded)))
      submit()
      return () => {
        cancelDeadline()
        giveUp?.()
      }
    }

    /** Calls `done` once, synchronously if judging is cheap. Returns a function that cancels, or null if it is already done. */
    const judge = (assignment: Assignment, expectations: Expectations, facts: HttpFacts, done: Judged): (() => void) | null => {
      if (judgingCostMs(expectations, facts) > inlineBudgetMs) return judgeApart(assignment, expectations, facts, done)
      done(Either.try(() => judgeHttp(expectations, facts)))
      return null
    }

    return { judge }
  })
}) {}
