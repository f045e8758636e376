/** The steps of an escalation policy: which level is paged when, how often the chain repeats, and what an acknowledgement stops. */
import { DateTime } from "effect"

/** The part of a policy that decides its steps. */
export interface EscalationPlan {
  /** Minutes after the level before; level 1 is paged immediately. */
  readonly levels: ReadonlyArray<{ readonly afterMinutes: number }>
  /** How often the chain starts again after its last level. */
  readonly repeat: number
  /** Minutes from the last level to the first of the next round. */
  readonly repeatAfterMinutes: number
}

/** The next step of an incident's escalation. */
export interface EscalationStep {
  /** From 1. */
  readonly level: number
  /** From 1. */
  readonly round: number
  readonly at: DateTime.Utc
}

/** Whether a step is the first of its escalation. */
export const isFirstStep = ({ level, round }: EscalationStep): boolean => level === 1 && round === 1

/** Level 1, when the incident opens. */
export const firstStep = (at: DateTime.Utc): EscalationStep => ({ level: 1, round: 1, at })

/**
 * The step after the level of `step` was paged at `pagedAt`; null when the chain has ended. Waits count from the page, not from
 * when it was due: if it came late, people still get the full time to answer. A policy that was shortened meanwhile goes on with
 * its next round. A level that reached nobody, because its targets are gone or disabled, is not waited for.
 */
export const stepAfter = (
  plan: EscalationPlan,
  step: EscalationStep,
  pagedAt: DateTime.Utc,
  reached: boolean
): EscalationStep | null => {
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

/**
 * The step after an acknowledgement was taken back: the chain goes on where it stopped, without the time that has passed. If it
 * had ended, it starts again, since nobody takes care of the incident.
 */
export const resumedStep = (step: EscalationStep | null, now: DateTime.Utc): EscalationStep =>
  step === null ? firstStep(now) : { ...step, at: DateTime.max(step.at, now) }
