/** Serves the event log to clients that poll. */
import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { ReadEvents } from "../../operations/event/ReadEvents.ts"

const defaultLimit = 100

export const EventsLive = HttpApiBuilder.group(
  Api,
  "Events",
  (handlers) =>
    Effect.map(
      ReadEvents,
      (events) =>
        handlers.handle("list_events", ({ urlParams: { after = null, limit = defaultLimit, types = null } }) =>
          Effect.flatMap(Access, ({ workspaceId }) =>
            events.list(workspaceId, { after, types, limit })))
    )
)
