/** A text on the last check beside a state: they may differ, because thresholds, confirmations and other regions decide too. */
import type { CheckSummary } from "../../../schema/check/Check.ts"
import type { MonitorState } from "../../../schema/monitor/Monitor.ts"

type LastCheck = Pick<CheckSummary, "error" | "outcome">

/** The error if the check shows the state; a sentence about the check if it differs; null if it has nothing to add. */
export const lastCheckText = (state: MonitorState, { error, outcome }: LastCheck): string | null => {
  if (outcome === state) return error
  if (outcome === "up") return state === "down" || state === "degraded" ? "The last check was good" : null
  return `The last check ${outcome === "down" ? "failed" : "was degraded"}${error === null ? "" : `: ${error}`}`
}
