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
  .annotate(OpenApi.Description, "The log of everything that happened, by polling.")
  .add(
    HttpApiEndpoint.get("list_events", "/events")
      .setUrlParams(Schema.Struct({
        after: optional(EventId.annotations({ description: "Only events after this id, oldest first" })),
        types: optional(types.annotations({
          description: "Exact event types, separated by commas",
          examples: [["monitor.down", "monitor.up"]]
        })),
        limit: optional(wholeText(1, 500).annotations({ description: "How many at most; default 100" }))
      }))
      .addSuccess(Schema.Struct({
        data: Schema.Array(Event),
        next: Schema.NullOr(EventId).annotations({ description: "Feed back in as after" })
      }))
      .addError(wire.validationFailed)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Read the event log")
      .annotate(OpenApi.Description, "Without after the newest come first, with after the oldest. Default limit 100.")
  )
{}
