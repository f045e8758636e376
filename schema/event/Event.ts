/** An event of the log: something that happened in a workspace. */
import { Schema } from "effect"
import { Timestamp, ValueNoun } from "../Fields.ts"
import { EventId, type WorkspaceId } from "../Ids.ts"
import { eventTypes } from "./EventData.ts"

export const EventType = Schema.Literal(...eventTypes).annotations({ [ValueNoun]: "event type" })
export type EventType = typeof EventType.Type

const dataExample = { monitor: { _id: "mon_01k9x2m4q8e7s9v3bthn5wza6c", name: "Checkout API", kind: "http", state: "down" } }

/** An event as polling and the live stream return it; `type` determines the shape of `data` (`EventData.ts`). */
export const Event = Schema.Struct({
  id: EventId,
  type: EventType.annotations({ description: "What happened" }),
  at: Timestamp,
  data: Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
    examples: [dataExample],
    jsonSchema: {
      type: "object",
      additionalProperties: true,
      description: "Data of the event; its shape depends on type. Webhook channels receive the same data",
      examples: [dataExample]
    }
  })
}).annotations({ identifier: "Event" })
export type Event = typeof Event.Type

export interface WorkspaceEvent extends Event {
  readonly workspaceId: WorkspaceId
  /** The work that led to it, if its trace is recorded. */
  readonly traceparent?: string | null
}
