/** The event log of each workspace. Ids strictly increase in commit order, so no event appears behind a cursor. */
import { SqlClient } from "@effect/sql"
import { Clock, Effect, Option, Schema } from "effect"
import { Event, type EventType, type WorkspaceEvent } from "../../../schema/event/Event.ts"
import { encodeEventData, type EventDraft } from "../../../schema/event/EventData.ts"
import { EventId, WorkspaceId } from "../../../schema/Ids.ts"
import { makeIdAfter } from "../../domain/tools/Id.ts"
import { sampledTrace } from "../../telemetry/Tracing.ts"
import { randomForId } from "../Mint.ts"
import { withNext } from "../postgres/LeanTransactions.ts"
import { findAll, findOne } from "../postgres/Queries.ts"
import { readAll } from "../postgres/Read.ts"
import { Signals } from "../postgres/Signals.ts"

/** Notified with the workspace id on every commit that adds events. */
export const eventsSignal = "belltower_events"

export const EventRow = Schema.Struct({ ...Event.fields, at: Schema.DateTimeUtcFromDate })

/** The same with the work that led to it, if its trace is recorded. */
export const TracedEventRow = Schema.Struct({ ...EventRow.fields, traceparent: Schema.NullOr(Schema.String) })

const readEvents = readAll(EventRow)

/** A draft with the trace that led to it, if that is not the one of the fiber that records it. */
export type TracedDraft = EventDraft & { readonly traceparent?: string }

export class EventLog extends Effect.Service<EventLog>()("belltower/EventLog", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const columns = sql.literal("e.id, e.type, e.at, e.data")

    const lastId = findOne(
      Schema.Struct({ lastEventId: Schema.NullOr(EventId) }),
      (workspaceId: WorkspaceId) =>
        sql`select last_event_id as "lastEventId" from workspaces where id = ${workspaceId} for no key update`
    )

    /** Rows of new events. Their ids follow `last` and, where the clock allows, carry `now`. */
    const rowsAfter = (last: EventId | null, now: number, drafts: ReadonlyArray<TracedDraft>, trace: string | null) => {
      let before = last
      return drafts.map((draft) => {
        before = EventId.make(makeIdAfter(before, "evt", now, randomForId()))
        return {
          id: before,
          type: draft.type,
          data: JSON.stringify(encodeEventData(draft)),
          traceparent: draft.traceparent ?? trace
        }
      })
    }

    /**
     * Locks the workspace, moves its head and inserts events, unless the workspace does not exist or has an event whose id is not
     * below theirs: then nothing happens. A workspace that is locked meanwhile is looked at again once it is free.
     */
    const insert = (workspaceId: WorkspaceId, now: number, rows: ReturnType<typeof rowsAfter>) =>
      sql`/* one plan */
        with head as (
          update workspaces set last_event_id = ${rows.at(-1)?.id ?? null}
          where id = ${workspaceId} and (last_event_id is null or last_event_id collate "C" < ${rows[0]?.id ?? null})
          returning id, deleted_at is not null as silent
        )
        insert into events (workspace_id, id, type, at, data, traceparent, fanned_out)
        select head.id, draft.id, type, ${new Date(now)}, data::jsonb, traceparent, head.silent
        from head, unnest(${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.type)}::text[],
                    ${rows.map((row) => row.data)}::text[], ${rows.map((row) => row.traceparent)}::text[])
          as draft (id, type, data, traceparent)
        returning 1`

    /**
     * Records events in the caller's transaction. Call it last: it holds the workspace's lock until the commit. Records
     * nothing when the workspace no longer exists, and alerts nobody while it is deleted.
     */
    const append = Effect.fnUntraced(function*(workspaceId: WorkspaceId, drafts: ReadonlyArray<TracedDraft>) {
      if (drafts.length === 0) return []
      const now = yield* Clock.currentTimeMillis
      const trace = yield* sampledTrace
      const fresh = rowsAfter(null, now, drafts, trace)
      const added = (yield* insert(workspaceId, now, fresh)).length > 0
      const head = added ? Option.none() : yield* lastId(workspaceId)
      if (!added && Option.isNone(head)) return []
      // Another event of this millisecond, or of a machine whose clock is ahead: its row is locked now, so the ids fit.
      const rows = Option.match(head, {
        onNone: () => fresh,
        onSome: ({ lastEventId }) => rowsAfter(lastEventId, now, drafts, trace)
      })
      if (!added) yield* insert(workspaceId, now, rows)
      yield* signals.send(eventsSignal, workspaceId)
      return rows.map((row) => row.id)
    }, Effect.orDie)

    /**
     * The same with the next statement, for a caller whose transaction has locked the workspace and read its last event, and has added
     * none.
     */
    const appendAfter = Effect.fnUntraced(
      function*(workspaceId: WorkspaceId, last: EventId | null, drafts: ReadonlyArray<TracedDraft>) {
        const now = yield* Clock.currentTimeMillis
        yield* withNext(insert(workspaceId, now, rowsAfter(last, now, drafts, yield* sampledTrace)))
        yield* signals.send(eventsSignal, workspaceId)
      },
      Effect.orDie
    )

    const event = findOne(
      TracedEventRow,
      (workspaceId: WorkspaceId, id: EventId) =>
        sql`select id, type, at, data, traceparent from events where workspace_id = ${workspaceId} and id = ${id}`
    )

    /** Locks the workspaces that exist, in order of id, and returns their last events. */
    const lockAll = findAll(
      Schema.Struct({ id: WorkspaceId, lastEventId: Schema.NullOr(EventId) }),
      (ids: ReadonlyArray<WorkspaceId>) =>
        sql`
        select id, last_event_id as "lastEventId" from workspaces where id = any(${ids}::text[]) order by id for no key update`
    )

    /** Moves the heads of workspaces, which the transaction has locked, and inserts their events. */
    const insertAll = (
      batches: ReadonlyArray<{ readonly workspaceId: WorkspaceId; readonly rows: ReturnType<typeof rowsAfter> }>,
      now: number
    ) => {
      const rows = batches.flatMap(({ rows, workspaceId }) => rows.map((row) => ({ ...row, workspaceId })))
      return sql`
        with head as (
          update workspaces w set last_event_id = newest.id
          from unnest(${batches.map(({ workspaceId }) => workspaceId)}::text[],
                      ${batches.map(({ rows }) => rows.at(-1)?.id ?? null)}::text[]) as newest (workspace_id, id)
          where w.id = newest.workspace_id
          returning w.id, w.deleted_at is not null as silent
        )
        insert into events (workspace_id, id, type, at, data, traceparent, fanned_out)
        select workspace_id, draft.id, type, ${new Date(now)}, data::jsonb, traceparent, head.silent
        from unnest(${rows.map((row) => row.workspaceId)}::text[], ${rows.map((row) => row.id)}::text[],
                    ${rows.map((row) => row.type)}::text[], ${rows.map((row) => row.data)}::text[],
                    ${rows.map((row) => row.traceparent)}::text[])
          as draft (workspace_id, id, type, data, traceparent)
        join head on head.id = draft.workspace_id`
    }

    return {
      append,
      appendAfter,
      /**
       * The same for several workspaces; returns the ids by workspace. Callers that share workspaces lock them in the same order, so
       * that none waits for another in a circle. The locks are a statement of their own: one that locks rows and updates them
       * reads them as they were before it waited.
       */
      appendAll: Effect.fnUntraced(function*(drafts: ReadonlyMap<WorkspaceId, ReadonlyArray<TracedDraft>>) {
        const wanted = [...drafts].filter(([, ofOne]) => ofOne.length > 0)
        const [only] = wanted
        if (only === undefined) return new Map<WorkspaceId, ReadonlyArray<EventId>>()
        if (wanted.length === 1) return new Map([[only[0], yield* append(...only)]])
        const locked = yield* lockAll(wanted.map(([workspaceId]) => workspaceId))
        if (locked.length === 0) return new Map<WorkspaceId, ReadonlyArray<EventId>>()
        const now = yield* Clock.currentTimeMillis
        const trace = yield* sampledTrace
        const batches = locked.map(({ id, lastEventId }) => ({
          workspaceId: id,
          rows: rowsAfter(lastEventId, now, drafts.get(id) ?? [], trace)
        }))
        yield* insertAll(batches, now)
        yield* Effect.forEach(batches, ({ workspaceId }) => signals.send(eventsSignal, workspaceId), { discard: true })
        return new Map(batches.map(({ rows, workspaceId }) => [workspaceId, rows.map(({ id }) => id)]))
      }, Effect.orDie),
      find: (workspaceId: WorkspaceId, id: EventId): Effect.Effect<Option.Option<WorkspaceEvent>> =>
        Effect.map(event(workspaceId, id), Option.map((found) => ({ ...found, workspaceId }))),
      /** The newest events, newest first. */
      readNewest: (workspaceId: WorkspaceId, types: ReadonlyArray<EventType> | null, limit: number) =>
        readEvents(
          types === null
            ? sql`select ${columns} from events e where e.workspace_id = ${workspaceId} order by e.id desc limit ${limit}`
            : sql`
          select ${columns} from (
            select found.id from (select distinct unnest(${types}::text[])) as wanted (type) cross join lateral (
              select id from events where workspace_id = ${workspaceId} and type = wanted.type order by id desc limit ${limit}
            ) found order by found.id desc limit ${limit}
          ) newest join events e on e.workspace_id = ${workspaceId} and e.id = newest.id order by e.id desc`
        ),
      /** The events after a cursor, oldest first. */
      after: findAll(
        EventRow,
        (workspaceId: WorkspaceId, cursor: string, types: ReadonlyArray<EventType> | null, limit: number) =>
          types === null
            ? sql`
          select ${columns} from events e where e.workspace_id = ${workspaceId} and e.id > ${cursor} order by e.id limit ${limit}`
            : sql`
          select ${columns} from (
            select found.id from (select distinct unnest(${types}::text[])) as wanted (type) cross join lateral (
              select id from events where workspace_id = ${workspaceId} and type = wanted.type and id > ${cursor}
              order by id limit ${limit}
            ) found order by found.id limit ${limit}
          ) next join events e on e.workspace_id = ${workspaceId} and e.id = next.id order by e.id`
      )
    }
  })
}) {}
