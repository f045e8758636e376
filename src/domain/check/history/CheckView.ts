/** Converts a check to the forms that actors, records, events and the REST API use. */
import { DateTime } from "effect"
import type { CheckResult } from "../../../../schema/check/Bus.ts"
import type { Check, CheckSummary, EventCheck } from "../../../../schema/check/Check.ts"
import type { Observation } from "../../../../schema/monitor/Machine.ts"
import { maskUrls } from "../../secret/UrlSecrets.ts"
import { storable } from "../../tools/text/Storable.ts"

/** The error of a check as it is stored and shown, with the secrets of its URLs masked. */
export const shownError = (error: string): string => storable(maskUrls(error))

/** A result as its monitor's actor receives it, with storable texts. It lists its fields, as spreading is slower. */
export const observationOf = (result: CheckResult, trusted: boolean): Observation => ({
  checkId: result.checkId,
  monitorId: result.monitorId,
  revision: result.revision,
  region: result.region,
  slot: result.slot,
  ...(result.attempt === undefined ? {} : { attempt: result.attempt }),
  at: result.at,
  outcome: result.outcome,
  statusCode: result.statusCode,
  latencyMs: result.latencyMs,
  error: result.error === null ? null : shownError(result.error),
  cause: result.cause,
  hasEvidence: result.evidence !== null,
  trusted
})

/** An observation as monitor records contain it. */
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

export const eventCheck = (check: Observation): EventCheck => {
  const { id, ...rest } = checkSummary(check)
  return { _id: id, id, ...rest }
}

export const checkOf = (result: CheckResult, counted: boolean): Check => ({
  ...checkSummary(observationOf(result, result.trusted)),
  monitorId: result.monitorId,
  counted,
  timings: result.timings,
  evidence: result.evidence,
  evidenceOmitted: null
})
