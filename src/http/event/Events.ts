/** Serves the event log to clients that poll, and tokens for the live stream. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { ReadEvents } from "../../operations/event/ReadEvents.ts"
import { StreamTokens } from "../../operations/event/StreamTokens.ts"
import { asCaller, inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const defaultLimit = 100

export const EventsLive = operationGroup(Api, "Events", (handlers) =>
  Effect.gen(function*() {
    const events = yield* ReadEvents
    const tokens = yield* StreamTokens
    return handlers
      .handle("list_events", ({ urlParams: { after = null, limit = defaultLimit, types = [] } }) =>
        inWorkspace((id) =>
          events.list(id, { after, types, limit })
        ))
      .handle("create_stream_token", () => asCaller(tokens.create))
  }))
