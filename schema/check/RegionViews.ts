/** A region as one workspace sees it, with the health of its probes, which all share, and as one monitor sees it. */
import { Schema, Struct } from "effect"
import { orNull } from "../Fields.ts"
import { Check, CheckSummary } from "./Check.ts"
import { Region, RegionId } from "./Region.ts"

const LastCheck = Schema.Struct(Struct.pick(Check.fields, "id", "monitorId", "at", "outcome", "latencyMs"))
  .annotations({ identifier: "RegionLastCheck" })

export const RegionRecord = Schema.Struct({
  ...Region.fields,
  lastCheck: orNull(LastCheck, "Newest check there of this workspace's 10 most frequent monitors; null without one"),
  p50: orNull(Schema.Number, "Median latency of the newest check of each of them that was not down, ms")
}).annotations({ identifier: "RegionRecord" })
export type RegionRecord = typeof RegionRecord.Type

/** Latencies in ms, and counts, over a stretch of time. */
export const LatencyStats = {
  p50: orNull(Schema.Number, "Median latency, exact to 1 %; null without a successful check"),
  p95: orNull(Schema.Number, "95th percentile, exact to 1 %"),
  avg: orNull(Schema.Number, "Mean latency"),
  checks: Schema.Int.annotations({ description: "Checks that counted toward the state" }),
  failures: Schema.Int.annotations({ description: "Those of them that were down" })
}

export const MonitorRegion = Schema.Struct({
  region: RegionId,
  ...Struct.pick(Region.fields, "healthy", "reason", "clockSkewMs"),
  lastCheck: orNull(CheckSummary, "The region's last result in these hours"),
  lateSec: orNull(Schema.Int, "How long the region's next result is overdue, s; null if it is not"),
  ...LatencyStats,
  uncounted: Schema.Int.annotations({ description: "Results that did not count toward the state" })
}).annotations({ identifier: "MonitorRegion" })
export type MonitorRegion = typeof MonitorRegion.Type
