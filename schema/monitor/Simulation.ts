/** A replay of stored results under other rules: what would have alerted, beside what did. */
import { Schema } from "effect"
import { Cause } from "../check/Check.ts"
import { RegionId } from "../check/Region.ts"
import { described, optional, orNull, Timestamp, TimestampZ, whole } from "../Fields.ts"
import { CheckId, MonitorId } from "../Ids.ts"
import { FailureRate, MonitorState } from "./Monitor.ts"

export const SimulationInput = Schema.Struct({
  monitorId: MonitorId,
  from: optional(TimestampZ, "Default 7 days before to"),
  to: optional(TimestampZ, "Default now"),
  failureThreshold: optional(whole(1, 10), "Default as it is", 3),
  recoveryThreshold: optional(whole(1, 10), "Default as it is", 2),
  failureRate: optional(Schema.NullOr(FailureRate), "Default as it is"),
  intervalSec: optional(whole(10, 86_400), "Not shorter than the monitor's", 120),
  degradedAfterMs: optional(Schema.NullOr(whole(50, 120_000)), "Default as it is", 2000),
  regions: optional(
    Schema.Array(RegionId).pipe(Schema.minItems(1), Schema.maxItems(10)),
    "Regions that vote"
  )
}).annotations({ identifier: "SimulationInput" })
export type SimulationInput = typeof SimulationInput.Type

/** A period in which the monitor was, or would have been, down or degraded. */
const SimulatedOutage = Schema.Struct({
  state: MonitorState,
  from: described(Timestamp, "When it began, or the start of the period"),
  to: orNull(Timestamp, "Null if it lasts beyond the period"),
  durationSec: described(Schema.Int, "Observed seconds within the period"),
  cause: Schema.NullOr(Cause),
  checkId: orNull(CheckId, "The check that decided it; null for what did happen")
}).annotations({ identifier: "SimulatedOutage" })

const SimulatedCourse = Schema.Struct({
  alerts: Schema.Int.annotations({ description: "How often the monitor went down" }),
  degradations: Schema.Int.annotations({ description: "How often it became degraded" }),
  downSec: Schema.Int.annotations({ description: "Seconds down" }),
  outages: Schema.Array(SimulatedOutage).annotations({ description: "The first 100, oldest first" })
}).annotations({ identifier: "SimulatedCourse" })
export type SimulatedCourse = typeof SimulatedCourse.Type

export const Simulation = Schema.Struct({
  monitorId: MonitorId,
  from: described(Timestamp, "Start of what was replayed"),
  to: Timestamp.annotations({
    description: "End of what was replayed: before the requested end if the period has too many checks"
  }),
  complete: Schema.Boolean.annotations({ description: "If false, call again with from set to this answer's to" }),
  checks: Schema.Int.annotations({ description: "Stored checks that were replayed" }),
  simulated: SimulatedCourse.annotations({ description: "With the proposed settings" }),
  actual: SimulatedCourse.annotations({ description: "What did happen, with the settings of that time" })
}).annotations({ identifier: "Simulation" })
export type Simulation = typeof Simulation.Type
