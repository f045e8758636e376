/** Answers the event log by polling. */
import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import type { EventType } from "../../../schema/event/Event.ts"
import type { EventId } from "../../../schema/Ids.ts"
import { EventCursors } from "../../store/event/EventCursors.ts"
import { EventLog } from "../../store/event/EventLog.ts"

const defaultLimit = 100

/** Without `after` the newest first; with it the oldest first, and `next` goes on from there. */
export const listEvents = Effect.fn("Events.list")(function*({ urlParams }: {
  readonly urlParams: {
    readonly after?: EventId
    readonly types?: ReadonlyArray<EventType>
    readonly limit?: number
  }
}) {
  const { after, limit = defaultLimit } = urlParams
  const types = urlParams.types ?? null
  const { workspaceId } = yield* Access
  const log = yield* EventLog
  if (after === undefined) {
    const data = yield* log.newest(workspaceId, types, limit)
    return { data, next: data.at(-1)?.id ?? null }
  }
  const cursor = yield* Effect.flatMap(EventCursors, (cursors) => cursors.at(workspaceId, after, "after"))
  const data = yield* log.after(workspaceId, cursor, types, limit)
  return { data, next: data.at(-1)?.id ?? cursor }
})

export const layer = HttpApiBuilder.group(Api, "Events", (handlers) => handlers.handle("list_events", listEvents))
