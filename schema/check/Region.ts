/** A region: a location that checks run from, and the health of its probes. */
import { Schema } from "effect"
import { orNull, Timestamp } from "../Fields.ts"

export const RegionId = Schema.String.pipe(
  Schema.pattern(/^[a-z0-9][a-z0-9-]{0,39}$/, { examples: ["main"] }),
  Schema.brand("RegionId"),
  Schema.annotations({ identifier: "RegionId", description: "Region id" })
)
export type RegionId = typeof RegionId.Type

export const RegionLateness = Schema.Struct({
  checks: Schema.Int.annotations({ description: "Checks that began since each worker's previous beat, about 10 s" }),
  late: Schema.Int.annotations({
    description: "Those that began more than 1 s and a tenth of their interval late, and those left out for want of time"
  }),
  p99Ms: Schema.Int.annotations({ description: "How late checks began: the 99th percentile of the latest worker, ms" })
}).annotations({ identifier: "RegionLateness" })
export type RegionLateness = typeof RegionLateness.Type

export const Region = Schema.Struct({
  id: RegionId,
  healthy: Schema.Boolean.annotations({ description: "If false, results from this region are stored but not counted" }),
  reason: orNull(Schema.String, "Why the region is unhealthy; null if it is healthy"),
  isDefault: Schema.Boolean.annotations({ description: "Whether monitors without regions use this one" }),
  workers: Schema.Int.annotations({ description: "Number of probe workers that sent a beat in the last 30 s" }),
  lastBeatAt: Schema.NullOr(Timestamp),
  clockSkewMs: orNull(
    Schema.Int,
    "How far the worker's clock that is most off is ahead of the servers', ms; the times of checks are corrected by it. " +
      "Null if no worker measured it"
  ),
  lateness: orNull(RegionLateness, "How punctual the checks are; null without a recent beat")
}).annotations({ identifier: "Region" })
export type Region = typeof Region.Type
