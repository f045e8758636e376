/** The forms of a check: as its monitor's actor sees it, in records, in events, and as REST answers it. */
import { DateTime } from "effect"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import type { Check, CheckSummary, EventCheck } from "../../../schema/check/Check.ts"
import type { Observation } from "../../../schema/monitor/Machine.ts"
import { storable } from "../Storable.ts"

/**
 * A result as its monitor's actor sees it: without what only the check's row needs, and with texts that can be stored. A literal,
 * like `checkSummary`: both run for every check, where spreads would show.
 */
export const observationOf = (result: CheckResult, trusted: boolean): Observation => ({
  checkId: result.checkId,
  monitorId: result.monitorId,
  revision: result.revision,
  region: result.region,
  slot: result.slot,
  at: result.at,
  outcome: result.outcome,
  statusCode: result.statusCode,
  latencyMs: result.latencyMs,
  error: result.error === null ? null : storable(result.error),
  cause: result.cause,
  hasEvidence: result.evidence !== null,
  trusted
})

/** An observation as a monitor's record carries it. */
export const checkSummary = (check: Observation): CheckSummary => ({
  id: check.checkId,
  at: DateTime.unsafeMake(check.at),
  outcome: check.outcome,
  statusCode: check.statusCode,
  latencyMs: check.latencyMs,
  error: check.error,
  cause: check.cause,
  region: check.region,
  hasEvidence: check.hasEvidence
})

/** An observation as an event carries it. */
export const eventCheck = (check: Observation): EventCheck => {
  const { id, ...rest } = checkSummary(check)
  return { _id: id, ...rest }
}

/** A result as REST and MCP answer it. */
export const checkOf = (result: CheckResult, counted: boolean): Check => ({
  ...checkSummary(observationOf(result, result.trusted)),
  monitorId: result.monitorId,
  counted,
  timings: result.timings,
  evidence: result.evidence
})
