/** The data of events about reminders and escalation. */
import { Schema } from "effect"
import { optional, textLike } from "../Fields.ts"
import { ChannelId, IncidentId, PagingId, PolicyId, UserId, WayId } from "../Ids.ts"
import { Incident } from "../incident/Incident.ts"
import { AddedWayKind, Urgency } from "../oncall/Way.ts"
import { EventMonitor } from "./MonitorEvents.ts"

export const MonitorReminder = Schema.Struct({
  monitor: EventMonitor,
  downForMinutes: Schema.Int.annotations({ description: "Whole minutes since the outage began" }),
  reminderAfterMinutes: Schema.Int.annotations({ description: "The mark of reminderMinutes that was reached" }),
  incident: Schema.Struct({ id: IncidentId, title: textLike("Checkout API is down") })
})

const member = { id: UserId, name: Schema.NullOr(textLike("Sam Field")), email: textLike("sam@example.com") }

export const IncidentEscalated = Schema.Struct({
  incident: Incident,
  monitor: optional(EventMonitor),
  policy: Schema.Struct({ id: PolicyId, name: textLike("Platform") }).annotations({ description: "The policy" }),
  level: Schema.Int.annotations({ description: "Level that was paged, from 1" }),
  levels: Schema.Int.annotations({ description: "Number of levels" }),
  round: Schema.Int.annotations({ description: "1 for the first time, 2 for the first repetition" }),
  unacknowledgedForMinutes: Schema.Int.annotations({ description: "Whole minutes in which nobody acknowledged it" }),
  notified: Schema.Struct({
    channelIds: Schema.Array(ChannelId),
    users: Schema.Array(Schema.Struct(member)).annotations({ description: "Members who were paged" }),
    mail: optional(Schema.Literal("sent", "captured")).annotations({
      description: "captured: the members' mails reached nobody, because no mail server was set"
    }),
    unreached: optional(
      Schema.Array(Schema.Struct({ ...member, reason: textLike("The email address is not confirmed") })),
      "Members whose turn it was and whom no page reaches; missing if there are none"
    )
  }).annotations({ description: "Who was paged" })
})

/** One page to one person by one of their ways. Pages by email are in the log of pages only. */
export const IncidentPaged = Schema.Struct({
  incident: Incident,
  monitor: optional(EventMonitor),
  user: Schema.Struct(member).annotations({ description: "Who is paged" }),
  paging: Schema.Struct({
    id: PagingId,
    wayId: WayId,
    by: AddedWayKind,
    step: Schema.Int.annotations({ description: "Place among the person's steps, from 1" })
  }).annotations({ description: "The way and its step" }),
  urgency: Urgency,
  level: Schema.Int.annotations({ description: "Level of the escalation policy, from 1" }),
  round: Schema.Int.annotations({ description: "1 for the first time, 2 for the first repetition" }),
  unacknowledgedForMinutes: Schema.Int.annotations({ description: "Whole minutes in which nobody acknowledged it" })
})
