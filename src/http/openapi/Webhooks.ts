/** The webhooks section of the document: the request for each event, signed according to Standard Webhooks. */
import { OpenApiJsonSchema } from "@effect/platform"
import { Schema } from "effect"
import type { EventType } from "../../../schema/event/Event.ts"
import { events, eventTypes } from "../../../schema/event/EventData.ts"
import { Timestamp } from "../../../schema/Fields.ts"
import { EventId, WorkspaceId } from "../../../schema/Ids.ts"

const reachesChannels = (type: EventType): boolean => {
  const { channels } = events[type].audience
  return channels !== "none" && channels !== "way"
}

/** The events that reach channels; the others are in the log and the live stream only. */
const deliveredTypes = eventTypes.filter(reachesChannels)

const headers = [
  {
    name: "webhook-id",
    description: "Id of the event, the same in every attempt. Use it to ignore duplicates",
    example: "evt_01k9x2m4q8e7s9v3bthn5wza6c"
  },
  {
    name: "webhook-timestamp",
    description: "Time of this attempt in Unix seconds. Refuse requests that are off by more than 5 minutes",
    example: "1795161600"
  },
  {
    name: "webhook-signature",
    description:
      "`v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<raw body>`. It can have several entries, separated by spaces",
    example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="
  }
].map((header) => ({ ...header, in: "header", required: true, schema: { type: "string" } }))

const responses = {
  "2XX": { description: "Delivered. Answer within 10 seconds" },
  "4XX": { description: "Refused: it is not sent again, except after 408 and 429" },
  "5XX": { description: "Failed: it is sent again, at most 8 times over about 11 hours" }
}

const payloadOf = (type: EventType) => {
  const { data } = events[type]
  return Schema.Struct({
    id: EventId,
    type: Schema.Literal(type),
    timestamp: Timestamp,
    workspaceId: WorkspaceId,
    data: Schema.make<unknown>(data.ast)
  })
}

/** The JSON Schema of each event's body by type; named schemas are added to `defs`. */
export const webhookBodies = (defs: Record<string, unknown>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(deliveredTypes.map((type) => [type, OpenApiJsonSchema.makeWithDefs(payloadOf(type), { defs })]))

const summaries: Readonly<Record<EventType, string>> = {
  "monitor.down": "A monitor went down",
  "monitor.up": "A monitor recovered",
  "monitor.degraded": "A monitor became degraded",
  "monitor.reminder": "A monitor is still down",
  "monitor.summary": "Several monitors changed within a minute",
  "monitor.flapping": "A monitor has begun to flap, or stopped",
  "quiet.ended": "The quiet hours of a channel have ended",
  "incident.created": "An incident opened",
  "incident.updated": "An incident was updated",
  "incident.resolved": "An incident was resolved",
  "maintenance.scheduled": "A maintenance window was scheduled",
  "maintenance.started": "A maintenance window started",
  "maintenance.updated": "A maintenance window was updated",
  "maintenance.completed": "A maintenance window ended",
  "incident.acknowledged": "An incident was acknowledged",
  "incident.analyzed": "The AI report on an incident was written",
  "incident.escalated": "An escalation policy paged a level",
  "incident.paged": "A person was paged by a contact way",
  "incident.unacknowledged": "An acknowledgement was taken back",
  "component.status_changed": "A component's visible status changed",
  "monitor.created": "A monitor was created",
  "monitor.deleted": "A monitor was deleted",
  "mute.started": "Monitors were muted",
  "mute.ended": "A mute has ended",
  "deploy.created": "A deploy marker was recorded",
  "digest.weekly": "The weekly digest was built",
  "test.ping": "A channel was tested"
}

export const webhooks = (content: (type: EventType) => { readonly schema: unknown; readonly example: unknown }) =>
  Object.fromEntries(deliveredTypes.map((type) => [type, {
    post: {
      operationId: `on_${type.replaceAll(".", "_")}`,
      summary: summaries[type],
      description: "Sent to the webhook channels of the workspace that list this type or receive it by default.",
      tags: ["Events"],
      // The receiver checks the signature; there is no key.
      security: [],
      parameters: headers,
      requestBody: { required: true, content: { "application/json": content(type) } },
      responses
    }
  }]))
