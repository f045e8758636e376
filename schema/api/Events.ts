/** The event log, by polling. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { wire } from "../Errors.ts"
import { Event, EventType } from "../event/Event.ts"
import { optional, wholeText } from "../Fields.ts"
import { EventId } from "../Ids.ts"
import { ReadAccess } from "./Access.ts"

const types = Schema.split(",").pipe(Schema.compose(Schema.Array(EventType)))

export class Events extends HttpApiGroup.make("Events")
  .annotate(OpenApi.Description, "The log of everything that happened in the workspace, by polling.")
  .add(
    HttpApiEndpoint.get("list_events", "/events")
      .setUrlParams(Schema.Struct({
        after: optional(EventId.annotations({ description: "Returns only events after this id, oldest first" })),
        types: optional(types.annotations({
          description: "Exact event types, comma-separated",
          examples: [["monitor.down", "monitor.up"]]
        })),
        limit: optional(wholeText(1, 500).annotations({ description: "Maximum number of events; default 100" }))
      }))
      .addSuccess(Schema.Struct({
        data: Schema.Array(Event),
        next: Schema.NullOr(EventId).annotations({ description: "Pass as after to get the events that follow" })
      }))
      .addError(wire.validationFailed)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List events")
      .annotate(
        OpenApi.Description,
        "Newest first; with after, oldest first. To follow the log, pass next of each response as after in the next call."
      )
  )
{}
