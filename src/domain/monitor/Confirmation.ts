/** How a failed check is confirmed: when it is repeated, and how often. Probes follow it, and runners wait accordingly. */
import type { Assignment } from "../../../schema/check/Bus.ts"
import type { Rules } from "../../../schema/monitor/Monitor.ts"

type Confirm = NonNullable<Assignment["confirm"]>

/**
 * The least time between the end of a failed check and its repetition, s. Whatever lasts for less can fail one of them, but not both,
 * so that it alerts nobody.
 */
const leastPauseSec = 10

/** Beyond this, a longer wait tells no more about a failure, s. */
const usualMostSec = 30

/** The default of `confirmAfterSec`: half the interval. Below 20 s the next slot's check comes as soon as a repetition could. */
export const usualConfirmAfter = (intervalSec: number): number =>
  Math.max(leastPauseSec, Math.min(usualMostSec, Math.floor(intervalSec / 2)))

/** How probes confirm a failure: up to the threshold, of which the slot's own check is the first. Null without confirmations. */
export const confirmationOf = (
  { confirmAfterSec, failureThreshold }: Pick<Rules, "confirmAfterSec" | "failureThreshold">
): Confirm | null =>
  confirmAfterSec === null || failureThreshold === 1 ? null : { afterSec: confirmAfterSec, most: failureThreshold - 1 }

const pauseMs = (afterSec: number): number => Math.min(afterSec, leastPauseSec) * 1000

/** The earliest start of the next check of a monitor whose check failed and ended at `endedAt`, ms. */
export const restUntil = ({ afterSec }: Confirm, endedAt: number): number => endedAt + pauseMs(afterSec)

/**
 * When to repeat a failed check, ms: so early that a repetition that takes as long as the check did ends within `afterSec` of its
 * start, but not before it has rested.
 */
export const repetitionDue = (confirm: Confirm, startedAt: number, endedAt: number): number =>
  Math.max(restUntil(confirm, endedAt), startedAt + confirm.afterSec * 1000 - (endedAt - startedAt))

/** How long after the start of its slot the last report of a repetition can come, ms; `attempt` 0 is the check itself. */
export const lastReportAfter = (attempt: number, { confirmAfterSec, timeoutMs }: Rules): number => {
  const afterSec = confirmAfterSec ?? 0
  return timeoutMs + attempt * Math.max(afterSec * 1000, timeoutMs + pauseMs(afterSec))
}
