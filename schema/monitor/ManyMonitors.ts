/** Changes and deletions of many monitors together: which ones, what becomes of them, and what did. */
import { Schema } from "effect"
import { RegionId } from "../check/Region.ts"
import { described, list, optional, text, textLike } from "../Fields.ts"
import { ChannelId, MonitorId } from "../Ids.ts"
import { MonitorUpdate, mostChannels } from "./Monitor.ts"

/** Monitors of one call: all of them change in one transaction. */
export const mostTogether = 500

const selection = {
  ids: optional(list(MonitorId, mostTogether), "Or tag or search"),
  tag: optional(text(40), "Of this tag", "shop"),
  search: optional(text(200), "Text in name, URL or host", "checkout"),
  dryRun: optional(Schema.Boolean, "Answers what would change; changes nothing")
}

const lists = {
  tags: optional(list(text(40), 20), "Tags", ["shop"]),
  channelIds: optional(list(ChannelId, mostChannels), "Alert channels"),
  regions: optional(list(RegionId, 10), "Regions")
}
const ListChange = Schema.Struct(lists).annotations({ identifier: "ListChange" })

/** The settings that make sense for monitors of all kinds. */
const SharedSettings = MonitorUpdate.pick(
  "intervalSec",
  "timeoutMs",
  "failureThreshold",
  "recoveryThreshold",
  "confirmAfterSec",
  "failureRate",
  "channelIds",
  "reminderMinutes",
  "urgency",
  "ai",
  "tags",
  "paused",
  "regions"
).annotations({ identifier: "SharedSettings" })

export const ManyMonitorsUpdate = Schema.Struct({
  ...selection,
  set: optional(SharedSettings, "As in update_monitor", { intervalSec: 30 }),
  add: optional(ListChange, "Added to the lists of each", { tags: ["shop"] }),
  remove: optional(ListChange, "Removed from the lists of each", { tags: ["old"] })
}).annotations({ identifier: "ManyMonitorsUpdate" })
export type ManyMonitorsUpdate = typeof ManyMonitorsUpdate.Type

export const ManyMonitorsDeletion = Schema.Struct({
  ...selection,
  count: optional(Schema.Int, "How many are lost; needed above 10", 25)
}).annotations({ identifier: "ManyMonitorsDeletion" })
export type ManyMonitorsDeletion = typeof ManyMonitorsDeletion.Type

/** The part of both inputs that says which monitors are meant. */
export type MonitorSelection = Pick<ManyMonitorsDeletion, "ids" | "search" | "tag">

const one = { id: MonitorId, name: textLike("Checkout API") }

export const ManyMonitorsUpdated = Schema.Struct({
  dryRun: described(Schema.Boolean, "Whether nothing was changed"),
  matched: described(Schema.Int, "Monitors that were meant"),
  changed: Schema.Array(Schema.Struct({
    ...one,
    fields: Schema.Array(Schema.String).annotations({ description: "Fields that differ now", examples: [["intervalSec"]] })
  })).annotations({ description: "Those that differ now" })
}).annotations({ identifier: "ManyMonitorsUpdated" })
export type ManyMonitorsUpdated = typeof ManyMonitorsUpdated.Type

export const ManyMonitorsDeleted = Schema.Struct({
  dryRun: described(Schema.Boolean, "Whether nothing was deleted"),
  deleted: Schema.Array(Schema.Struct(one)).annotations({ description: "The deleted monitors" })
}).annotations({ identifier: "ManyMonitorsDeleted" })
export type ManyMonitorsDeleted = typeof ManyMonitorsDeleted.Type
