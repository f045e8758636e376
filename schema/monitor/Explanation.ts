/** Why a monitor is in its state, from what is stored. */
import { Schema, Struct } from "effect"
import { Check } from "../check/Check.ts"
import { RegionId } from "../check/Region.ts"
import { Deploy } from "../deploy/Deploy.ts"
import { described, fromTarget, orNull, textLike, Timestamp } from "../Fields.ts"
import { CheckId, IncidentId, MonitorId } from "../Ids.ts"
import { Muted } from "../mute/Mute.ts"
import { LikelyUpstream } from "../upstream/Upstream.ts"
import { MonitorState } from "./Monitor.ts"

/** The phases of a check in order. `response` is all that follows the first byte. */
export const Phase = Schema.Literal("dns", "connect", "tls", "first_byte", "response")
export type Phase = typeof Phase.Type

const ExplainedCheck = Schema.Struct(
  Struct.pick(Check.fields, "id", "at", "region", "outcome", "cause", "statusCode", "latencyMs", "error", "timings")
).annotations({ identifier: "ExplainedCheck" })
export type ExplainedCheck = typeof ExplainedCheck.Type

const RegionView = Schema.Struct({
  region: RegionId,
  checkId: described(CheckId, "The check"),
  ...Struct.pick(Check.fields, "at", "outcome", "cause"),
  disagrees: Schema.Boolean.annotations({ description: "Whether it differs from the majority of regions" })
}).annotations({ identifier: "RegionView" })
export type RegionView = typeof RegionView.Type

/** A difference between the check and the last good one before it. */
const Change = Schema.Struct({
  what: textLike("statusCode", "What differs, such as statusCode, remoteAddress, certificate or header server"),
  before: orNull(textLike("200"), "In the last good check; null if it was absent"),
  now: orNull(textLike("503"), "In the explained check; null if it is absent")
}).annotations({ identifier: "CheckChange" })
export type Change = typeof Change.Type

const NearDeploy = Schema.Struct({
  ...Struct.pick(Deploy.fields, "id", "version", "service", "environment", "at"),
  minutesBefore: Schema.Int.annotations({ description: "Minutes from the deploy to the start of the state" })
}).annotations({ identifier: "NearDeploy" })
export type NearDeploy = typeof NearDeploy.Type

export const MonitorExplanation = Schema.Struct({
  monitorId: MonitorId,
  state: MonitorState,
  since: described(Timestamp, "When the state began"),
  openIncidentId: orNull(IncidentId, "The open automatic incident; null if there is none"),
  summary: textLike(
    "Down since Nov 22, 2026, 10:00 GMT+2: 503 Service Unavailable in 2 of 3 regions. A deploy came 4 minutes before.",
    "The explanation in a few sentences, in words of this service; times are in the workspace's zone"
  ),
  check: orNull(
    ExplainedCheck,
    "The check that explains the state: the newest failure with evidence; of a monitor that is up, the newest check of a region " +
      "that sees it fail, else the newest check"
  ),
  failedPhase: orNull(Phase, "Phase in which the check failed; null if it got through all"),
  slowestPhase: orNull(Phase, "Phase that took the most time; null without timings"),
  regions: Schema.Array(RegionView).annotations({ description: "What each region saw last" }),
  lastGood: orNull(ExplainedCheck, "The last check before the state that was up"),
  changes: fromTarget(Schema.Array(Change)).annotations({
    description: "What differs from lastGood; texts only where both checks have evidence"
  }),
  deploys: Schema.Array(NearDeploy).annotations({ description: "Deploys from an hour before the state to its start" }),
  muted: orNull(Muted, "What keeps its alerts back now; null if nothing does", null),
  upstreams: Schema.Array(Schema.String).annotations({
    description: "Third parties that the workspace depends on, as service or service/component",
    examples: [["github/api"]]
  }),
  likelyUpstream: orNull(
    LikelyUpstream,
    "Incident of such a third party that began within an hour of the state; null if there is none, or if it is up"
  )
}).annotations({ identifier: "MonitorExplanation" })
export type MonitorExplanation = typeof MonitorExplanation.Type
