/** Cursors in the event log. */
import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { EventId, WorkspaceId } from "../../../schema/Ids.ts"
import { beforeAll } from "../../domain/event/EventCursor.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { idTime } from "../../domain/tools/Id.ts"
import { findAll, findOne } from "../postgres/Queries.ts"
import { mapRead, type Read, readFirst, run } from "../postgres/Read.ts"

const unknown = (path: string) =>
  validationFailure([{
    path,
    message: "The cursor is not an event of this workspace",
    hint: "Use the id of an event from an earlier response, or omit it to start from the newest"
  }])

const readHeadRow = readFirst(Schema.Struct({ last: Schema.NullOr(EventId) }))

export class EventCursors extends Effect.Service<EventCursors>()("belltower/EventCursors", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const readHead = (workspaceId: WorkspaceId): Read<string> =>
      mapRead(
        readHeadRow(
          sql`select last_event_id as last from workspaces where id = ${workspaceId}`
        ),
        Option.match({ onNone: () => "", onSome: ({ last }) => last ?? "" })
      )
    const heads = findAll(Schema.Struct({ id: WorkspaceId, last: EventId }), (ids: ReadonlyArray<WorkspaceId>) =>
      sql`
        select id, last_event_id as last from workspaces
        where id = any(${ids}::text[]) and last_event_id is not null`)
    const one = findOne(
      Schema.Struct({ id: EventId }),
      (workspaceId: WorkspaceId, id: string) => sql`select id from events where workspace_id = ${workspaceId} and id = ${id}`
    )

    return {
      /** The cursor after the newest event: only later events follow it. */
      readHead,
      head: (workspaceId: WorkspaceId) => run(readHead(workspaceId)),
      /** The newest event of each of these workspaces; workspaces without events are omitted. */
      heads: (workspaceIds: ReadonlyArray<WorkspaceId>) => workspaceIds.length === 0 ? Effect.succeed([]) : heads(workspaceIds),
      /** Validates an event id that a caller passed as a cursor in the field `path`. Fails when it is not in the workspace. */
      at: Effect.fnUntraced(function*(workspaceId: WorkspaceId, id: string, path: string) {
        if (id === beforeAll) return beforeAll
        if (!id.startsWith("evt_") || idTime(id) === null) return yield* unknown(path)
        const row = yield* one(workspaceId, id)
        return yield* Option.match(row, { onNone: () => unknown(path), onSome: (event) => Effect.succeed(event.id) })
      })
    }
  })
}) {}
