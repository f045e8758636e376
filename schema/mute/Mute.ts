/** A mute: a time in which alerts about some monitors wait, without a page or a maintenance window. */
import { Schema } from "effect"
import { list, optional, orNull, text, textLike, Timestamp, whole } from "../Fields.ts"
import { IncidentId, MonitorId, MuteId } from "../Ids.ts"
import { MutedMonitors, mutesNone } from "../monitor/MutedMonitors.ts"

/** 31 days. */
const longest = 2_678_400

export const MuteInput = Schema.Struct({
  monitorIds: optional(list(MonitorId, 200), "Monitors to mute"),
  tags: optional(list(text(40), 20), "Monitors with one of these tags", ["checkout"]),
  all: optional(Schema.Boolean, "Mutes all monitors"),
  durationSec: optional(whole(1, longest), "Or give until", 900),
  until: optional(Timestamp, "At most 31 days ahead"),
  reason: optional(text(300), "Why, for the team", "Deploy of checkout 2026.11.3")
}).annotations({ identifier: "MuteInput" })
export type MuteInput = typeof MuteInput.Type

export const Mute = Schema.Struct({
  id: MuteId,
  monitorIds: Schema.Array(MonitorId).annotations({ description: "Monitors that it names" }),
  tags: Schema.Array(Schema.String).annotations({ description: "Mutes monitors with one of these", examples: [["checkout"]] }),
  all: Schema.Boolean.annotations({ description: "Whether it mutes all monitors" }),
  durationSec: Schema.Int.annotations({ description: "Seconds from createdAt until its planned end" }),
  until: Timestamp.annotations({ description: "When it ends by itself" }),
  reason: orNull(textLike("Deploy of checkout 2026.11.3"), "Why, for the team"),
  by: textLike("ops@example.com", "Name of the API key, or email address of the person"),
  endedAt: orNull(Timestamp, "When it ended; null while it runs", null),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotations({ identifier: "Mute" })
export type Mute = typeof Mute.Type

/** A mute with the monitors that it covers now. */
export const MuteRecord = Schema.Struct({
  ...Mute.fields,
  mutes: optional(MutedMonitors, "Monitors that it mutes now; missing once it has ended"),
  warnings: optional(mutesNone("It mutes no monitor, because none has one of its tags now"))
}).annotations({ identifier: "MuteRecord" })
export type MuteRecord = typeof MuteRecord.Type

/** The source that keeps back the alerts about a monitor. */
export const Muted = Schema.Struct({
  until: Timestamp.annotations({ description: "When they may leave again" }),
  muteId: orNull(MuteId, "The mute; null for maintenance"),
  incidentId: orNull(IncidentId, "The maintenance window; null for a mute", null),
  reason: orNull(textLike("Deploy of checkout 2026.11.3"), "Reason of the mute, or title of the maintenance")
}).annotations({ identifier: "Muted" })
export type Muted = typeof Muted.Type
