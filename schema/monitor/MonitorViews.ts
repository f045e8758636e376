/** Monitors and their checks in the forms of single answers: details, rows of lists, waits, and checks that nothing keeps. */
import { Schema, Struct } from "effect"
import { Check, CheckSummary } from "../check/Check.ts"
import { RegionId } from "../check/Region.ts"
import { LatencyStats } from "../check/RegionViews.ts"
import { described, optional, orNull, textLike, Timestamp } from "../Fields.ts"
import { IncidentId, MonitorId } from "../Ids.ts"
import { HourState, Monitor, MonitorState, MonitorUpdate } from "./Monitor.ts"

export const MonitorDetail = Schema.Struct({
  ...Monitor.fields,
  checks: Schema.Array(Check).annotations({ description: "Recent checks, newest first" }),
  stats: Schema.Struct(LatencyStats).annotations({ description: "Statistics of the last 24 hours; latencies in milliseconds" })
}).annotations({ identifier: "MonitorDetail" })

export const ListedMonitor = Schema.Struct({
  ...Monitor.fields,
  trend: optional(
    Schema.Array(Schema.NullOr(Schema.Int)),
    "With trend: average latency of each of the last 24 hours, ms, oldest first; null for an hour without one",
    [182, null, 175]
  ),
  states: optional(
    Schema.Array(Schema.NullOr(HourState)),
    "With trend: worst state in each of the last 24 hours, oldest first; null for an hour in which nothing was observed",
    ["up", null, "down"]
  )
}).annotations({ identifier: "ListedMonitor" })

export const TagCount = Schema.Struct({
  tag: described(textLike("checkout"), "As its monitors have it"),
  monitors: described(Schema.Int, "Monitors with this tag"),
  down: described(Schema.Int, "Those of them that are down"),
  degraded: described(Schema.Int, "Those of them that are degraded")
}).annotations({ identifier: "TagCount" })

export const StateCounts = Schema.Struct({
  up: described(Schema.Int, "Monitors that are up"),
  down: described(Schema.Int, "Monitors that are down"),
  degraded: described(Schema.Int, "Monitors that are degraded"),
  pending: described(Schema.Int, "Monitors that wait for their first result"),
  paused: described(Schema.Int, "Paused monitors")
}).annotations({ identifier: "StateCounts" })

export const MonitorWait = Schema.Struct({
  reached: Schema.Boolean.annotations({
    description: "Whether the monitor is in the state that was asked for and, with checkedAfter, its checks since then show it"
  }),
  reason: orNull(
    textLike("The check chk_01k9x2m4q8e7s9v3bthn5wza6c in eu-central was down: 503 Service Unavailable."),
    "Why it was not reached, in words of this service; null if it was"
  ),
  state: MonitorState,
  stateSince: described(Timestamp, "When the state began"),
  openIncidentId: orNull(IncidentId, "The open automatic incident; null if there is none"),
  checks: Schema.Array(CheckSummary).annotations({
    description: "With checkedAfter: the newest check of each region since then that counted toward the state"
  }),
  failed: Schema.Array(CheckSummary).annotations({
    description: "With checkedAfter: the newest checks since then, at most 10, whose outcome was not the state that was asked for"
  }),
  missingRegions: Schema.Array(RegionId).annotations({
    description: "With checkedAfter: regions of the monitor in which no check has counted since then"
  }),
  waitedMs: described(Schema.Int, "How long the call waited, in milliseconds")
}).annotations({ identifier: "MonitorWait" })

export const PreviewInput = Schema.Struct({
  ...MonitorUpdate.fields,
  id: optional(MonitorId, "Monitor that has the missing settings")
}).annotations({ identifier: "PreviewInput" })

/** A check that nothing keeps has no id. */
export const CheckPreview = Schema.Struct(
  Struct.omit(Check.fields, "id", "monitorId", "counted", "hasEvidence", "evidenceOmitted")
)
  .annotations({ identifier: "CheckPreview" })
export type CheckPreview = typeof CheckPreview.Type
export type PreviewInput = typeof PreviewInput.Type
