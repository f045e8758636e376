/** How monitors and checks look inside events: without headers, body or anything that may hold a credential. */
import { DateTime } from "effect"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import type { CheckSummary, EventCheck } from "../../../schema/check/Check.ts"
import type { EventMonitor } from "../../../schema/event/MonitorEvents.ts"
import type { MonitorId } from "../../../schema/Ids.ts"
import type { Target } from "../../../schema/monitor/kinds.ts"
import type { Observation } from "../../../schema/monitor/Machine.ts"
import type { MonitorState } from "../../../schema/monitor/Monitor.ts"
import { storable } from "../Storable.ts"

/** A monitor with what an event tells of it. */
export const eventMonitor = (
  monitor: { readonly id: MonitorId; readonly name: string; readonly target: Target; readonly tags: ReadonlyArray<string> },
  state: MonitorState,
  url: string
): EventMonitor => {
  const { kind, ...settings } = monitor.target
  return { _id: monitor.id, name: monitor.name, kind, state, [kind]: settings, tags: monitor.tags, url }
}

/** A result as its monitor's actor sees it: without what only the check's row needs, and with words that can be stored. */
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

/** A observation as a record carries it. */
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

/** A observation as an event carries it. */
export const eventCheck = (check: Observation): EventCheck => {
  const { id, ...rest } = checkSummary(check)
  return { _id: id, ...rest }
}
