/** The messages between runners and probes: assignments, results, beats and requests for manual checks. */
import { Schema } from "effect"
import { optional, orNull } from "../Fields.ts"
import { CheckId, MonitorId, WorkspaceId } from "../Ids.ts"
import { ProbeTarget } from "../monitor/kinds.ts"
import { RequestSecrets } from "../monitor/Monitor.ts"
import { checkFacts, Evidence, ManifestEntry, Timings } from "./Check.ts"
import { RegionId } from "./Region.ts"

/** Milliseconds since 1970. Bus messages are a hot path, so times stay plain numbers. */
const Millis = Schema.Number

/** The input of probes for one monitor. A paused or deleted monitor has no assignment. */
export const Assignment = Schema.Struct({
  monitorId: MonitorId,
  workspaceId: WorkspaceId,
  revision: Schema.Int.annotations({ description: "Number of edits to the monitor; results carry it back" }),
  changedAt: Millis,
  intervalSec: Schema.Int,
  timeoutMs: Schema.Int,
  regions: Schema.Array(RegionId),
  target: ProbeTarget,
  secrets: orNull(Schema.typeSchema(RequestSecrets), "Null if the request has none"),
  confirm: optional(
    Schema.Struct({ afterSec: Schema.Int, most: Schema.Int }),
    "How soon a failed check is repeated, and how often in a row"
  )
})
export type Assignment = typeof Assignment.Type

/** A new assignment, or null if probes must stop checking the monitor. */
export interface AssignmentChange {
  readonly monitorId: MonitorId
  readonly assignment: Assignment | null
}

export const CheckResult = Schema.Struct({
  checkId: CheckId,
  monitorId: MonitorId,
  workspaceId: WorkspaceId,
  revision: Schema.Int,
  slot: Schema.Int.annotations({ description: "Number of the round: floor((at - phase) / interval); -1 for a manual check" }),
  attempt: optional(Schema.Int, "Which repetition of the slot's check, from 1; missing for none"),
  at: Millis,
  ...checkFacts,
  timings: Schema.NullOr(Timings),
  evidence: Schema.NullOr(Evidence),
  repeats: optional(CheckId, "The check whose evidence stands for that of this one"),
  manifest: optional(Schema.Array(ManifestEntry), "The statuses in a manifest that could be read"),
  trusted: Schema.Boolean.annotations({ description: "false if the worker's self-check was failing at the time" }),
  traceparent: optional(Schema.String, "The check's place in a trace that is recorded (W3C Trace Context); over Kafka, a header")
})
export type CheckResult = typeof CheckResult.Type

/** A probe worker's heartbeat, sent every 10 s. */
export const Beat = Schema.Struct({
  region: RegionId,
  workerId: Schema.String,
  at: Millis,
  healthy: Schema.Boolean,
  reason: Schema.NullOr(Schema.String),
  monitors: Schema.Int,
  looks: Schema.Int.annotations({
    description: "Looks that began since the last beat, but those that a limit of their workspace or host held back"
  }),
  looksLate: Schema.Int.annotations({
    description:
      "Looks among them that began more than 1 s and a tenth of their interval late, and slots left out for want of time"
  }),
  version: optional(Schema.String, "Version of the worker's program; missing from earlier ones"),
  hasBrowser: Schema.Boolean.annotations({ description: "Whether the worker has a Chromium for browser monitors" }),
  hasScripts: optional(Schema.Boolean, "false if the worker cannot isolate scripts as it should, so that it runs none"),
  hasPing: Schema.Boolean.annotations({ description: "Whether the worker can send ICMP for ping monitors" }),
  clockSkewMs: orNull(
    Schema.Int,
    "How far the machine's clock is ahead of the servers', ms; `at` is corrected by it. Null if it was not measured"
  ),
  latenessP99Ms: Schema.Int.annotations({ description: "How late looks began, ms, 99th percentile" })
})
export type Beat = typeof Beat.Type

/** The time of the servers, sent to all probes every second. */
export const ServerTime = Schema.Struct({
  serverTime: Millis,
  proofs: Schema.Record({ key: Schema.String, value: Schema.Struct({ epoch: Schema.Int, proof: Schema.String }) }).annotations({
    description: "By region, the proof that the time is from the servers, by the region's key of an epoch"
  })
})
export type ServerTime = typeof ServerTime.Type

/** News of the servers for single probes, by id, each sealed to its probe (`ProbeNews`). Sent every 10 s, and after a change. */
export const ServerNews = Schema.Struct({ news: Schema.Record({ key: Schema.String, value: Schema.String }) })
export type ServerNews = typeof ServerNews.Type

export const CheckRequest = Schema.Struct({
  requestId: Schema.String,
  region: RegionId,
  assignment: Assignment,
  expiresAt: Millis
})
export type CheckRequest = typeof CheckRequest.Type

/** Ends the check of an earlier request: its asker no longer waits. */
export const CheckCancel = Schema.Struct({ requestId: Schema.String, region: RegionId, cancelled: Schema.Literal(true) })
export type CheckCancel = typeof CheckCancel.Type
