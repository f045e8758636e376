/** The event log, by polling. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { wire } from "../Errors.ts"
import { Event, EventType } from "../event/Event.ts"
import { explained, optional, orNull, textLike, Timestamp, wholeText } from "../Fields.ts"
import { EventId } from "../Ids.ts"
import { ReadAccess } from "./Access.ts"

const exactType = explained(
  EventType,
  (value) => String(value).includes("*") ? "No wildcards here; name exact types (the stream takes prefixes)" : null
)

/** As the live stream reads them: blank entries name no type, and none at all stands for all. */
const types = Schema.transform(Schema.String, Schema.Array(exactType), {
  strict: false,
  decode: (text) => text.split(",").map((entry) => entry.trim()).filter((entry) => entry !== ""),
  encode: (entries) => entries.join(",")
})

const StreamToken = Schema.Struct({
  token: textLike(
    "t4f0zz.ws_01k9x2m4q8e7s9v3bthn5wza6c.key_01k9x2m4q8e7s9v3bthn5wza6c.Zk1…",
    "Pass it to the live stream as the query field token"
  ),
  expiresAt: Timestamp.annotations({ description: "When the token stops opening streams; a stream that is open goes on" })
}).annotations({ identifier: "StreamToken" })

export class Events extends HttpApiGroup.make("Events")
  .annotate(
    OpenApi.Description,
    "The log of everything that happened in the workspace, by polling, and tokens for its live stream."
  )
  .add(
    HttpApiEndpoint.get("list_events", "/events")
      .setUrlParams(Schema.Struct({
        after: optional(EventId, "Only events after this id, oldest first"),
        types: optional(types, "Exact event types, comma-separated", ["monitor.down", "monitor.up"]),
        limit: optional(wholeText(1, 500), "Maximum number of events; default 100")
      }))
      .addSuccess(Schema.Struct({
        data: Schema.Array(Event),
        next: orNull(
          EventId,
          "Id of the last event in data, or after if data is empty. Pass as after to get the events that follow it"
        ),
        newest: orNull(
          EventId,
          "Id of the newest event of the workspace, of any type. Pass as after to get only what happens from now on"
        )
      }))
      .addError(wire.validationFailed)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List events")
      .annotate(
        OpenApi.Description,
        "Newest first; with after, oldest first. To follow the log from now on, pass newest of the first response as after, then " +
          "next of each response. Without after, next is the oldest event of the response, so what follows it is the same page again."
      )
  )
  .add(
    HttpApiEndpoint.post("create_stream_token", "/stream-tokens")
      .addSuccess(StreamToken, { status: 201 })
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Create a stream token")
      .annotate(
        OpenApi.Description,
        "Opens GET /api/v1/stream?token=... for 15 minutes, where no header can be sent. It can do nothing else, " +
          "and ends with the key."
      )
  )
{}
