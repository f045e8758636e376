/** Reads the event log page by page. */
import { Effect } from "effect"
import type { EventType } from "../../../schema/event/Event.ts"
import { EventId, type WorkspaceId } from "../../../schema/Ids.ts"
import { EventCursors } from "../../store/event/EventCursors.ts"
import { EventLog } from "../../store/event/EventLog.ts"
import { both, run } from "../../store/postgres/Read.ts"

interface EventQuery {
  readonly after: EventId | null
  /** Empty for all. */
  readonly types: ReadonlyArray<EventType>
  readonly limit: number
}

export class ReadEvents extends Effect.Service<ReadEvents>()("belltower/ReadEvents", {
  effect: Effect.gen(function*() {
    const log = yield* EventLog
    const cursors = yield* EventCursors

    /**
     * Newest first without `after`; with it, oldest first, and `next` is the following `after`. `newest` is read before the events: what
     * is recorded in between follows it, and so is read again rather than missed. Fails with `validation_failed` if `after` is not an
     * event of the workspace.
     */
    const list = Effect.fnUntraced(function*(workspaceId: WorkspaceId, { after, limit, types: named }: EventQuery) {
      const types = named.length === 0 ? null : named
      const newestOf = (head: string) => head === "" ? null : EventId.make(head)
      if (after === null) {
        const [head, data] = yield* run(both(cursors.readHead(workspaceId), log.readNewest(workspaceId, types, limit)))
        return { data, next: data.at(-1)?.id ?? null, newest: newestOf(head) }
      }
      const newest = newestOf(yield* cursors.head(workspaceId))
      const cursor = yield* cursors.at(workspaceId, after, "after")
      const data = yield* log.after(workspaceId, cursor, types, limit)
      return { data, next: data.at(-1)?.id ?? cursor, newest }
    })

    return { list }
  }),
  dependencies: [EventCursors.Default]
}) {}
