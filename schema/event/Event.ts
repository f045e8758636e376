/** An event of the log: something that happened in a workspace. */
import { Schema } from "effect"
import { Timestamp } from "../Fields.ts"
import { EventId } from "../Ids.ts"

/** All event types of the specification's Events table. */
export const EventType = Schema.Literal(
  "monitor.down",
  "monitor.up",
  "monitor.degraded",
  "monitor.reminder",
  "incident.created",
  "incident.updated",
  "incident.resolved",
  "maintenance.scheduled",
  "maintenance.started",
  "maintenance.updated",
  "maintenance.completed",
  "incident.acknowledged",
  "incident.escalated",
  "incident.unacknowledged",
  "component.status_changed",
  "monitor.created",
  "monitor.deleted",
  "deploy.created",
  "digest.weekly",
  "test.ping"
)
export type EventType = typeof EventType.Type

/** An event as polling and the live stream answer it; the shape of `data` follows from `type` (schema/events). */
export const Event = Schema.Struct({
  id: EventId,
  type: EventType,
  at: Timestamp,
  data: Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
    description: "Its shape follows from type; team webhooks carry the same",
    examples: [{ monitor: { _id: "mon_01k9x2m4q8e7s9v3bthn5wza6c", name: "Checkout API", kind: "http", state: "down" } }]
  })
}).annotations({ identifier: "Event" })
export type Event = typeof Event.Type
