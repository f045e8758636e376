/** The event log of each workspace. Ids strictly increase in commit order, so no event appears behind a cursor. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { Clock, DateTime, Effect, Option, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { Event, type EventType } from "../../../schema/event/Event.ts"
import { encodeEventData, type EventDraft } from "../../../schema/event/EventData.ts"
import { EventId, WorkspaceId } from "../../../schema/Ids.ts"
import { makeIdAfter } from "../../domain/Id.ts"
import { Signals } from "../postgres/Signals.ts"

/** Notified with the workspace id on every commit that adds events. */
export const eventsSignal = "belltower_events"

const EventRow = Schema.Struct({
  id: EventId,
  type: Event.fields.type,
  at: Schema.DateTimeUtcFromDate,
  data: Event.fields.data
})

export class EventLog extends Effect.Service<EventLog>()("belltower/EventLog", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals

    const lastId = SqlSchema.findOne({
      Request: WorkspaceId,
      Result: Schema.Struct({ lastEventId: Schema.NullOr(EventId) }),
      execute: (workspaceId) =>
        sql`select last_event_id as "lastEventId" from workspaces where id = ${workspaceId} for no key update`
    })

    /**
     * Records events in the caller's transaction. Call it last: it holds the workspace's lock until the commit. Records
     * nothing when the workspace no longer exists.
     */
    const append = Effect.fn("EventLog.append")(function*(workspaceId: WorkspaceId, drafts: ReadonlyArray<EventDraft>) {
      const head = yield* lastId(workspaceId)
      if (Option.isNone(head)) return []
      const now = yield* Clock.currentTimeMillis
      let last = head.value.lastEventId
      const rows = drafts.map((draft) => {
        last = EventId.make(makeIdAfter(last, "evt", now, randomBytes(10)))
        return { id: last, type: draft.type, data: JSON.stringify(encodeEventData(draft)) }
      })
      yield* sql`
        insert into events (workspace_id, id, type, at, data)
        select ${workspaceId}, id, type, ${DateTime.toDateUtc(DateTime.unsafeMake(now))}, data::jsonb
        from unnest(${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.type)}::text[],
                    ${rows.map((row) => row.data)}::text[]) as draft (id, type, data)`
      yield* sql`update workspaces set last_event_id = ${last} where id = ${workspaceId}`
      yield* signals.send(eventsSignal, workspaceId)
      return rows.map((row) => row.id)
    }, Effect.orDie)

    /** The newest events, newest first. */
    const newest = SqlSchema.findAll({
      Request: Schema.Struct({ workspaceId: WorkspaceId, types: Schema.NullOr(Schema.Array(Schema.String)), limit: Schema.Int }),
      Result: EventRow,
      execute: ({ limit, types, workspaceId }) =>
        sql`
        select id, type, at, data from events
        where workspace_id = ${workspaceId} and (${types}::text[] is null or type = any(${types}::text[]))
        order by id desc limit ${limit}`
    })

    /** The events after a cursor, oldest first. */
    const after = SqlSchema.findAll({
      Request: Schema.Struct({
        workspaceId: WorkspaceId,
        cursor: Schema.String,
        types: Schema.NullOr(Schema.Array(Schema.String)),
        limit: Schema.Int
      }),
      Result: EventRow,
      execute: ({ cursor, limit, types, workspaceId }) =>
        sql`
        select id, type, at, data from events
        where workspace_id = ${workspaceId} and id > ${cursor} and (${types}::text[] is null or type = any(${types}::text[]))
        order by id limit ${limit}`
    })

    return {
      append,
      newest: (workspaceId: WorkspaceId, types: ReadonlyArray<EventType> | null, limit: number) =>
        Effect.orDie(newest({ workspaceId, types, limit })),
      after: (workspaceId: WorkspaceId, cursor: string, types: ReadonlyArray<EventType> | null, limit: number) =>
        Effect.orDie(after({ workspaceId, cursor, types, limit }))
    }
  })
}) {}
