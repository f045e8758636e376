/** The course of a monitor over a range of time: its states, and its latencies by region and phase. */
import { Schema, Struct } from "effect"
import { orNull, Timestamp } from "../Fields.ts"
import { MonitorState } from "../monitor/Monitor.ts"
import { ResponseTimeRange } from "../page/ResponseTimes.ts"
import { RegionId } from "./Region.ts"
import { LatencyStats } from "./RegionViews.ts"

export const PhaseTimes = Schema.Struct({
  dnsMs: Schema.Number.annotations({ description: "Resolving the name" }),
  connectMs: Schema.Number.annotations({ description: "Connecting" }),
  tlsMs: Schema.Number.annotations({ description: "Handshake of TLS" }),
  firstByteMs: Schema.Number.annotations({ description: "From the request to the first byte" }),
  responseMs: Schema.Number.annotations({ description: "All that follows the first byte" })
}).annotations({ identifier: "PhaseTimes", description: "Mean time of each phase of the checks that were not down" })
export type PhaseTimes = typeof PhaseTimes.Type

const HistoryPoint = Schema.Struct({
  at: Timestamp.annotations({ description: "Start of the bucket" }),
  ...Struct.pick(LatencyStats, "p50", "p95", "checks", "failures"),
  phases: orNull(PhaseTimes, "Null where no check of the bucket measured them")
}).annotations({ identifier: "HistoryPoint" })

const StateSpan = Schema.Struct({
  state: Schema.Literal(...MonitorState.literals, "unobserved").annotations({
    description: "unobserved: no probe checked it"
  }),
  from: Timestamp,
  to: orNull(Timestamp, "Null for the current state")
}).annotations({ identifier: "StateSpan" })

export const MonitorHistory = Schema.Struct({
  range: ResponseTimeRange.annotations({ description: "The range that was asked for" }),
  from: Timestamp,
  to: Timestamp,
  bucketSec: Schema.Int.annotations({ description: "Length of a bucket: 30 minutes, an hour, 4 hours or a day" }),
  states: Schema.Array(StateSpan).annotations({ description: "Oldest first; the newest 500" }),
  regions: Schema.Array(Schema.Struct({ region: RegionId, data: Schema.Array(HistoryPoint) })).annotations({
    description: "Latencies of each region, oldest bucket first; buckets without a check are left out"
  })
}).annotations({ identifier: "MonitorHistory" })
export type MonitorHistory = typeof MonitorHistory.Type
