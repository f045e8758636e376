/** A region as one workspace sees it: the health of its probes, which all share, and the results of its own monitors. */
import { Schema, Struct } from "effect"
import { orNull } from "../Fields.ts"
import { Check } from "./Check.ts"
import { Region } from "./Region.ts"

const LastCheck = Schema.Struct(Struct.pick(Check.fields, "id", "monitorId", "at", "outcome", "latencyMs"))
  .annotations({ identifier: "RegionLastCheck" })

export const RegionRecord = Schema.Struct({
  ...Region.fields,
  lastCheck: orNull(LastCheck, "Newest check there of this workspace's 10 most frequent monitors; null without one"),
  p50: orNull(Schema.Number, "Median latency of the newest check of each of them that was not down, ms")
}).annotations({ identifier: "RegionRecord" })
export type RegionRecord = typeof RegionRecord.Type
