/** The data of `monitor.*` events. */
import { Schema } from "effect"
import { EventCheck } from "../check/Check.ts"
import { IncidentId, MonitorId } from "../Ids.ts"
import { eventSettings } from "../monitor/kinds.ts"
import { MonitorState } from "../monitor/Monitor.ts"
import { MonitorKind } from "../monitor/MonitorKind.ts"

/** A monitor as events carry it: never its headers or body, which may hold credentials. */
export const EventMonitor = Schema.Struct({
  _id: MonitorId,
  name: Schema.String,
  kind: MonitorKind,
  state: MonitorState,
  ...eventSettings,
  tags: Schema.Array(Schema.String),
  url: Schema.String.annotations({ description: "Link to the monitor in the dashboard" })
}).annotations({ identifier: "EventMonitor" })
export type EventMonitor = typeof EventMonitor.Type

export const MonitorDown = Schema.Struct({
  monitor: EventMonitor,
  check: EventCheck,
  incident: Schema.Struct({ id: IncidentId, title: Schema.String, url: Schema.String }),
  ai: Schema.Null
})

export const MonitorUp = Schema.Struct({
  monitor: EventMonitor,
  check: EventCheck,
  downtimeSeconds: Schema.Int,
  incident: Schema.NullOr(Schema.Struct({ id: IncidentId, url: Schema.String, resolved: Schema.Boolean })),
  ai: Schema.Null
})

export const MonitorDegraded = Schema.Struct({ monitor: EventMonitor, check: EventCheck })
export const MonitorCreated = Schema.Struct({ monitor: EventMonitor })
export const MonitorDeleted = Schema.Struct({ monitor: Schema.Struct({ _id: MonitorId, name: Schema.String }) })
