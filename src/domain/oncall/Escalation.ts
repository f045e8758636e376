/** The choice of an escalation policy and its steps: when each level is paged, and how the chain repeats and resumes. */
import { DateTime, Duration, Order } from "effect"
import type { PolicyId } from "../../../schema/Ids.ts"

/** The part of a policy that decides its steps. */
export interface EscalationPlan {
  /** Minutes after the level before; level 1 is paged immediately. */
  readonly levels: ReadonlyArray<{ readonly afterMinutes: number }>
  /** How often the chain starts again after its last level. */
  readonly repeat: number
  /** Minutes from the last level to the first of the next round. */
  readonly repeatAfterMinutes: number
}

export interface EscalationStep {
  /** From 1. */
  readonly level: number
  /** From 1. */
  readonly round: number
  readonly at: DateTime.Utc
}

export const isFirstStep = ({ level, round }: EscalationStep): boolean => level === 1 && round === 1

/** Level 1, when the incident opens. */
export const firstStep = (at: DateTime.Utc): EscalationStep => ({ level: 1, round: 1, at })

/**
 * The step after the level of `step` was paged at `pagedAt`, from which waits count; null when the chain has ended. A policy that was
 * shortened meanwhile goes on with its next round. A level that reached nobody is not waited for.
 */
export const stepAfter = (plan: EscalationPlan, step: EscalationStep, pagedAt: DateTime.Utc, reached: boolean) => {
  const next = plan.levels[step.level]
  if (next !== undefined) {
    return {
      level: step.level + 1,
      round: step.round,
      at: DateTime.add(pagedAt, { minutes: reached ? next.afterMinutes : 0 })
    }
  }
  return step.round > plan.repeat
    ? null
    : { level: 1, round: step.round + 1, at: DateTime.add(pagedAt, { minutes: plan.repeatAfterMinutes }) }
}

/** The step after an acknowledgement was taken back: the chain goes on where it stopped, or starts again if it had ended. */
export const resumedStep = (step: EscalationStep | null, now: DateTime.Utc): EscalationStep =>
  step === null ? firstStep(now) : { ...step, at: DateTime.max(step.at, now) }

/** The step that an escalation by hand pages now: the next one, or the first again if the chain has ended. */
export const stepNow = (plan: EscalationPlan, step: EscalationStep | null, now: DateTime.Utc): EscalationStep => {
  const next = step !== null && step.level > plan.levels.length ? stepAfter(plan, step, now, true) : step
  return next === null ? firstStep(now) : { ...next, at: now }
}

/** For how long the escalation leaves the person alone to whom an incident is handed over. */
const timeToTake = Duration.minutes(5)

/** The step after an incident was handed over. */
export const stepAfterHandOver = (step: EscalationStep | null, now: DateTime.Utc): EscalationStep => {
  const resumed = resumedStep(step, now)
  return { ...resumed, at: DateTime.max(resumed.at, DateTime.addDuration(now, timeToTake)) }
}

interface PolicyMatch {
  readonly id: PolicyId
  /** It names the incident's monitor. */
  readonly ofMonitor: boolean
  /** It names a page of the incident. */
  readonly ofPage: boolean
  readonly isDefault: boolean
}

/** The policy of the incident's monitor, else that of one of its pages, else the default. Of several, the oldest. */
export const policyFor = (policies: ReadonlyArray<PolicyMatch>): PolicyId | null => {
  // Ids sort by time.
  const oldestFirst = [...policies].sort(Order.mapInput(Order.string, ({ id }: PolicyMatch) => id))
  const found = oldestFirst.find(({ ofMonitor }) => ofMonitor) ?? oldestFirst.find(({ ofPage }) => ofPage) ??
    oldestFirst.find(({ isDefault }) => isDefault)
  return found?.id ?? null
}
