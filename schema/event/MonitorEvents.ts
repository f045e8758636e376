/** The data of `monitor.*` events. */
import { Schema } from "effect"
import { EventCheck } from "../check/Check.ts"
import { optional, orNull, textLike } from "../Fields.ts"
import { IncidentId, MonitorId } from "../Ids.ts"
import { AiReport } from "../incident/AiReport.ts"
import { eventSettings } from "../monitor/kinds.ts"
import { MonitorState } from "../monitor/Monitor.ts"
import { MonitorKind } from "../monitor/MonitorKind.ts"
import { LikelyUpstream } from "../upstream/Upstream.ts"
import { NamedChannel } from "./ChannelEvents.ts"

/** The name that records have for it. Events of earlier releases have only `_id`. */
const sameId = optional(MonitorId, "The same as _id")

/** A monitor as events carry it: never its headers or body, which may hold credentials. */
export const EventMonitor = Schema.Struct({
  _id: MonitorId,
  id: sameId,
  name: Schema.String,
  kind: MonitorKind,
  state: MonitorState,
  ...eventSettings,
  tags: Schema.Array(Schema.String),
  url: Schema.String.annotations({ description: "Link to the monitor in the dashboard" })
}).annotations({ identifier: "EventMonitor" })
export type EventMonitor = typeof EventMonitor.Type

const from = optional(MonitorState, "Its state before")

export const MonitorDown = Schema.Struct({
  monitor: EventMonitor,
  from,
  check: EventCheck,
  incident: Schema.Struct({
    id: IncidentId,
    title: Schema.String,
    url: Schema.String,
    likelyUpstream: optional(
      LikelyUpstream,
      "The incident of a third party that began around the same time; absent if there is none"
    )
  }),
  ai: orNull(AiReport, "Report on the beginning; null until it is written, or without AI")
})

export const MonitorUp = Schema.Struct({
  monitor: EventMonitor,
  from,
  check: EventCheck,
  downtimeSeconds: Schema.Int,
  incident: Schema.NullOr(Schema.Struct({ id: IncidentId, url: Schema.String, resolved: Schema.Boolean })),
  ai: orNull(AiReport, "Report on the recovery; null until it is written, or without AI")
})

export const MonitorDegraded = Schema.Struct({ monitor: EventMonitor, from, check: EventCheck })
export const MonitorCreated = Schema.Struct({ monitor: EventMonitor })
export const MonitorDeleted = Schema.Struct({ monitor: Schema.Struct({ _id: MonitorId, id: sameId, name: Schema.String }) })

/** Reports that a monitor changes so often that the channel gets no more alerts of it, or that this has ended. */
export const MonitorFlapping = Schema.Struct({
  channel: NamedChannel,
  monitor: EventMonitor,
  flapping: Schema.Boolean.annotations({ description: "False once it has not changed for 15 minutes" }),
  incident: orNull(
    Schema.Struct({ id: IncidentId, title: textLike("Checkout API is down"), url: textLike("https://belltower.example/app") }),
    "Its open incident"
  )
})

const Changed = Schema.Struct({
  count: Schema.Int.annotations({ description: "How many" }),
  monitors: Schema.Array(Schema.Struct({
    _id: MonitorId,
    id: sameId,
    name: textLike("Checkout API"),
    url: textLike("https://belltower.example/app/monitors/mon_01k9x2m4q8e7s9v3bthn5wza6c"),
    incidentId: orNull(IncidentId, "Its incident"),
    error: Schema.NullOr(textLike("Expected status 200-299, got 503"))
  })).annotations({ description: "The first 100 of them" })
})

/** The changes within a minute for one channel: each monitor once, in its last state. */
export const MonitorSummary = Schema.Struct({
  channel: NamedChannel,
  url: optional(
    textLike("https://belltower.example/app/monitors?workspace=ws_01k9x2m4q8e7s9v3bthn5wza6c&state=down"),
    "The list of monitors in the dashboard: those that are down, else those that are degraded, else all"
  ),
  down: Changed.annotations({ description: "Monitors that are down" }),
  degraded: Changed.annotations({ description: "Monitors that are degraded" }),
  up: Changed.annotations({ description: "Monitors that are up again" }),
  flapping: optional(Changed, "Monitors that have begun to flap"),
  stable: optional(Changed, "Monitors that no longer flap")
})
