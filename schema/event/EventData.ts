/** What each event type carries: the one registration of an event. */
import { TestPing } from "./ChannelEvents.ts"
import { ComponentStatusChanged } from "./ComponentEvents.ts"
import type { EventType } from "./Event.ts"
import { IncidentCreated, IncidentResolved, IncidentUpdated } from "./IncidentEvents.ts"
import { MonitorCreated, MonitorDegraded, MonitorDeleted, MonitorDown, MonitorUp } from "./MonitorEvents.ts"

export const eventData = {
  "monitor.down": MonitorDown,
  "monitor.up": MonitorUp,
  "monitor.degraded": MonitorDegraded,
  "monitor.created": MonitorCreated,
  "monitor.deleted": MonitorDeleted,
  "incident.created": IncidentCreated,
  "incident.updated": IncidentUpdated,
  "incident.resolved": IncidentResolved,
  "component.status_changed": ComponentStatusChanged,
  "test.ping": TestPing
} as const satisfies { readonly [Type in EventType]?: unknown }

/** The event types that are emitted today. */
export type EmittedType = keyof typeof eventData

/** The data of one event type, as a value. */
export type EventData<Type extends EmittedType> = (typeof eventData)[Type]["Type"]

/** An event about to be recorded. */
export type EventDraft = { [Type in EmittedType]: { readonly type: Type; readonly data: EventData<Type> } }[EmittedType]
