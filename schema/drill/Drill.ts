/** A drill: a marked test incident that goes through detection, alert, acknowledgement and recovery, with its timed receipt. */
import { Schema } from "effect"
import { fromTarget, list, optional, orNull, textLike, Timestamp } from "../Fields.ts"
import { ChannelId, DrillId, IncidentId, MonitorId, UserId } from "../Ids.ts"
import { mostChannels } from "../monitor/Monitor.ts"
import { PagingState, WayKind } from "../oncall/Way.ts"

export const DrillInput = Schema.Struct({
  channelIds: optional(list(ChannelId, mostChannels), "Default all with isDefault", [
    ChannelId.make("ch_01k9x2m4q8e7s9v3bthn5wza6c")
  ]),
  person: optional(UserId, "Tries all ways of this member instead")
}).annotations({ identifier: "DrillInput" })
export type DrillInput = typeof DrillInput.Type

export const DrillStageName = Schema.Literal("detection", "alert", "acknowledgement", "recovery", "all_clear")
export type DrillStageName = typeof DrillStageName.Type

const afterMs = Schema.Int.annotations({ description: "Milliseconds since the drill began" })

export const DrillStage = Schema.Struct({
  stage: DrillStageName.annotations({ description: "What was reached" }),
  at: Timestamp.annotations({ description: "When it was reached" }),
  afterMs
})
export type DrillStage = typeof DrillStage.Type

export const DrillDelivery = Schema.Struct({
  channelId: ChannelId.annotations({ description: "The channel" }),
  event: Schema.Literal("monitor.down", "monitor.up").annotations({ description: "The alert, or its all-clear" }),
  status: Schema.Literal("delivered", "captured", "retrying", "dead", "grouped", "held").annotations({
    description:
      "captured: kept in Belltower instead of mailed, because no mail server is set; grouped: with alerts of other monitors; held: until the channel's quiet hours end"
  }),
  statusCode: orNull(Schema.Int, "Of the last attempt; null without an HTTP response"),
  error: fromTarget(Schema.NullOr(Schema.String)).annotations({ description: "Why it was not accepted; null if it was" }),
  afterMs: orNull(Schema.Int, "Milliseconds since the drill began; null if it was not sent")
})
export type DrillDelivery = typeof DrillDelivery.Type

export const DrillWay = Schema.Struct({
  by: WayKind.annotations({ description: "The kind of way" }),
  label: textLike("Sam's phone", "The way's name"),
  state: PagingState,
  error: fromTarget(Schema.NullOr(Schema.String)).annotations({ description: "Why it failed; null if it did not" }),
  afterMs: orNull(Schema.Int, "Milliseconds since the drill began until the service took it; null if it did not")
}).annotations({ identifier: "DrillWay" })
export type DrillWay = typeof DrillWay.Type

export const Drill = Schema.Struct({
  id: DrillId,
  status: Schema.Literal("running", "passed", "failed").annotations({ description: "Whether everything went as it should" }),
  monitorId: MonitorId.annotations({ description: "The monitor of the drill; deleted at its end" }),
  incidentId: orNull(IncidentId, "Its incident; null before the detection"),
  stages: Schema.Array(DrillStage).annotations({ description: "What was reached, in order" }),
  deliveries: Schema.Array(DrillDelivery).annotations({ description: "What the channels did" }),
  paged: Schema.Array(textLike("sam@example.com")).annotations({ description: "People whom an escalation policy paged" }),
  captured: Schema.Array(textLike("sam@example.com")).annotations({
    description: "Those of them whose page was captured, not sent, because no mail server is set"
  }),
  unreached: Schema.Array(Schema.Struct({
    person: textLike("sam@example.com", "Address of the person"),
    reason: textLike("The email address is not confirmed", "Why no page reaches the person")
  })).annotations({ description: "People whose turn it was to be paged and whom no page reaches, and why" }),
  person: optional(UserId, "The member whose rules it walked; missing in a drill of channels"),
  ways: optional(Schema.Array(DrillWay), "What became of each way of the person, in order; missing in a drill of channels", []),
  error: orNull(textLike("1 of 2 channels did not accept the alert"), "What went wrong; null if nothing did"),
  createdAt: Timestamp,
  finishedAt: Schema.NullOr(Timestamp)
}).annotations({ identifier: "Drill" })
export type Drill = typeof Drill.Type
