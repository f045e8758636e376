/** A region: a place that monitors are checked from, and the health of its probes. */
import { Schema } from "effect"
import { Timestamp } from "../Fields.ts"

export const RegionId = Schema.String.pipe(
  Schema.pattern(/^[a-z0-9][a-z0-9-]{0,39}$/, { examples: ["main"] }),
  Schema.brand("RegionId"),
  Schema.annotations({ identifier: "RegionId", description: "An id from the list of regions" })
)
export type RegionId = typeof RegionId.Type

export const Region = Schema.Struct({
  id: RegionId,
  healthy: Schema.Boolean.annotations({ description: "false: its results are kept but not counted" }),
  reason: Schema.NullOr(Schema.String).annotations({ description: "Why it is unhealthy" }),
  isDefault: Schema.Boolean.annotations({ description: "Used by monitors that name no region" }),
  workers: Schema.Int.annotations({ description: "Probe workers heard of in the last 30 s" }),
  lastBeatAt: Schema.NullOr(Timestamp)
}).annotations({ identifier: "Region" })
export type Region = typeof Region.Type
