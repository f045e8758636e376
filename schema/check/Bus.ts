/** What travels between runners and probes: assignments, results, beats and checks asked for by hand. */
import { Schema } from "effect"
import { optional } from "../Fields.ts"
import { CheckId, MonitorId, WorkspaceId } from "../Ids.ts"
import { ProbeTarget } from "../monitor/Monitor.ts"
import { Cause, Evidence, Outcome, Timings } from "./Check.ts"
import { RegionId } from "./Region.ts"

/** Milliseconds since 1970: bus messages are hot and stay plain. */
const Millis = Schema.Number

/** One monitor as its probes need it; a monitor that is paused or deleted has none. */
export const Assignment = Schema.Struct({
  monitorId: MonitorId,
  workspaceId: WorkspaceId,
  revision: Schema.Int.annotations({ description: "Counts the edits; results carry it back" }),
  changedAt: Millis,
  intervalSec: Schema.Int,
  timeoutMs: Schema.Int,
  regions: Schema.Array(RegionId),
  target: ProbeTarget,
  sealed: Schema.NullOr(Schema.String).annotations({ description: "Sealed RequestSecrets, base64" })
})
export type Assignment = typeof Assignment.Type

/** A new assignment, or null where the monitor is no longer to be checked. */
export interface AssignmentChange {
  readonly monitorId: MonitorId
  readonly assignment: Assignment | null
}

/** What a probe has to say about one look. */
export const CheckResult = Schema.Struct({
  checkId: CheckId,
  monitorId: MonitorId,
  workspaceId: WorkspaceId,
  revision: Schema.Int,
  region: RegionId,
  slot: Schema.Int.annotations({ description: "The round: floor((at - phase) / interval); -1 for a check asked for by hand" }),
  at: Millis,
  outcome: Outcome,
  statusCode: Schema.NullOr(Schema.Int),
  latencyMs: Schema.NullOr(Schema.Number),
  error: Schema.NullOr(Schema.String),
  cause: Schema.NullOr(Cause),
  timings: Schema.NullOr(Timings),
  evidence: Schema.NullOr(Evidence),
  trusted: Schema.Boolean.annotations({ description: "false when the worker's own self-check failed at the time" })
})
export type CheckResult = typeof CheckResult.Type

/** A worker's sign of life, every 10 s. */
export const Beat = Schema.Struct({
  region: RegionId,
  workerId: Schema.String,
  at: Millis,
  healthy: Schema.Boolean,
  reason: Schema.NullOr(Schema.String),
  monitors: Schema.Int,
  // Workers of earlier versions do not send these. Looks that a limit of their workspace or host held back do not count.
  looks: optional(Schema.Int.annotations({ description: "Looks that began since the last beat" })),
  looksLate: optional(Schema.Int.annotations({
    description:
      "Looks among them that began more than 1 s and a tenth of their interval late, and slots left out for want of time"
  })),
  latenessP99Ms: optional(Schema.Int.annotations({ description: "How late looks began, ms, 99th percentile" }))
})
export type Beat = typeof Beat.Type

/** A check to be made at once in one region. */
export const CheckRequest = Schema.Struct({
  requestId: Schema.String,
  region: RegionId,
  assignment: Assignment,
  expiresAt: Millis
})
export type CheckRequest = typeof CheckRequest.Type
