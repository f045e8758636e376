/**
 * Finds the broadcasts to work on. Workspaces take turns, so that many broadcasts of one delay no other. A query leaps from
 * workspace to workspace along an index and costs the same however many broadcasts each has.
 */
import type { SqlClient } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { Event } from "../../../schema/event/Event.ts"
import { PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { inIndexOrder } from "../postgres/IndexOrder.ts"
import { findAll } from "../postgres/Queries.ts"
import { workspaceLeap } from "../postgres/WorkspaceLeap.ts"
import { ReadyBroadcast } from "./BroadcastClaim.ts"

const UnpreparedRow = Schema.Struct({
  ...Event.fields,
  at: Schema.DateTimeUtcFromDate,
  workspaceId: WorkspaceId,
  pageId: PageId,
  traceparent: Schema.NullOr(Schema.String)
})

/** Workspaces that one claim looks at for broadcasts that are ready. */
const lookedAt = 100
/** Broadcasts of a workspace that are offered for each that is taken: other workers may hold some. */
const offeredForEach = 4

/** Remembers behind which workspace the next look begins. */
const makeRotation = () => {
  let after = ""
  return {
    after: () => after,
    /** `next` is the last workspace that was looked at; null after the last of all. */
    move: (next: string | null): void => {
      after = next ?? ""
    }
  }
}

const makeUnprepared = (sql: SqlClient.SqlClient) => {
  const rotation = makeRotation()

  const workspaces = findAll(Schema.Struct({ id: WorkspaceId }), (after: string, limit: number) =>
    sql`
      with recursive ${workspaceLeap(sql, "broadcasts", sql`one.contents is null`, after)}
      select workspace_id as id from turn where workspace_id is not null limit ${limit}`)

  const take = findAll(UnpreparedRow, (workspaceIds: ReadonlyArray<WorkspaceId>, limit: number) =>
    sql`
      with offered as materialized (
        select one.event_id, one.page_id, one.turn, w.ordinal
        from unnest(${workspaceIds}::text[]) with ordinality as w (workspace_id, ordinal)
        cross join lateral (
          select oldest.event_id, oldest.page_id, row_number() over (order by oldest.created_at) as turn
          from (
            select event_id, page_id, created_at from broadcasts b
            where b.workspace_id = w.workspace_id and b.contents is null
            order by b.created_at limit ${limit * offeredForEach}
          ) oldest
        ) one
      )
      select e.id, e.type, e.at, e.data, e.traceparent, b.workspace_id as "workspaceId", b.page_id as "pageId"
      from offered o
      join broadcasts b on b.event_id = o.event_id and b.page_id = o.page_id and b.contents is null
      join events e on e.workspace_id = b.workspace_id and e.id = b.event_id
      order by o.turn, o.ordinal limit ${limit} for update of b skip locked`)

  /** Locks up to `limit` broadcasts without contents in the caller's transaction: the oldest of each workspace, then the next of each. */
  return Effect.fn("Broadcasts.unprepared")(function*(limit: number) {
    const from = rotation.after()
    const behind = yield* workspaces(from, limit)
    const ids = behind.length > 0 || from === "" ? behind : yield* workspaces("", limit)
    rotation.move(ids.length < limit ? null : ids.at(-1)?.id ?? null)
    if (ids.length === 0) return []
    return yield* inIndexOrder(sql, take(ids.map(({ id }) => id), limit))
  })
}

const makeReadyQueries = (sql: SqlClient.SqlClient) => {
  const isOpen = sql`one.contents is not null and one.ready_at < 'infinity'`

  const workspaces = findAll(Schema.Struct({ id: WorkspaceId, ready: Schema.Boolean }), (after: string, now: DateTime.Utc) =>
    sql`
      with recursive ${workspaceLeap(sql, "broadcasts", isOpen, after)}
      select workspace_id as id, coalesce((
        select true from broadcasts one
        where one.workspace_id = turn.workspace_id and ${isOpen} and one.ready_at <= ${DateTime.toDateUtc(now)}
        order by one.ready_at limit 1
      ), false) as ready
      from turn where workspace_id is not null limit ${lookedAt}`)

  const take = findAll(
    ReadyBroadcast,
    (workspaceIds: ReadonlyArray<WorkspaceId>, each: number, limit: number, now: DateTime.Utc) =>
      sql`
      with offered as materialized (
        select one.event_id, one.page_id, one.turn, w.ordinal
        from unnest(${workspaceIds}::text[]) with ordinality as w (workspace_id, ordinal)
        cross join lateral (
          select first.event_id, first.page_id, row_number() over (order by first.ready_at) as turn
          from (
            select event_id, page_id, ready_at from broadcasts one
            where one.workspace_id = w.workspace_id and ${isOpen} and one.ready_at <= ${DateTime.toDateUtc(now)}
            order by one.ready_at limit ${limit * offeredForEach}
          ) first
        ) one
      ), locked as materialized (
        select b.event_id, b.page_id, b.workspace_id, b.position, b.expanded_at, b.retry_at, o.turn, o.ordinal
        from offered o join broadcasts b on b.event_id = o.event_id and b.page_id = o.page_id
        where b.contents is not null and b.ready_at <= ${DateTime.toDateUtc(now)}
        order by o.turn, o.ordinal limit ${limit} for update of b skip locked
      ), numbered as (
        select *, row_number() over (partition by workspace_id order by turn) as number from locked
      )
      select event_id as "eventId", page_id as "pageId", workspace_id as "workspaceId", position,
             expanded_at is not null as "isExpanded", nullif(retry_at, 'infinity') as "retryAt"
      from numbered where number <= ${each} order by turn, ordinal`
  )

  return { workspaces, take }
}

const makeReady = (sql: SqlClient.SqlClient) => {
  const rotation = makeRotation()
  const { take, workspaces } = makeReadyQueries(sql)

  /** Locks broadcasts that are ready at `now`, in turns of their workspaces, in the caller's transaction. */
  return Effect.fn("Broadcasts.ready")(function*(
    { except, eachOf, limit, now }: {
      readonly now: DateTime.Utc
      /** The most broadcasts of all workspaces. */
      readonly limit: number
      /** The most broadcasts of each workspace, if so many have some that are ready. */
      readonly eachOf: (workspaces: number) => number
      readonly except: ReadonlyArray<WorkspaceId>
    }
  ) {
    const looked = yield* inIndexOrder(sql, workspaces(rotation.after(), now))
    const ready = looked.filter(({ id, ready }) => ready && !except.includes(id)).slice(0, limit)
    const last = ready.length === limit ? ready.at(-1) : looked.length === lookedAt ? looked.at(-1) : undefined
    rotation.move(last?.id ?? null)
    if (ready.length === 0) return []
    return yield* inIndexOrder(sql, take(ready.map(({ id }) => id), eachOf(ready.length), limit, now))
  })
}

export const makeReadyBroadcasts = (sql: SqlClient.SqlClient) => ({ unprepared: makeUnprepared(sql), ready: makeReady(sql) })
