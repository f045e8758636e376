/** Begins the broadcasts of new events, and holds back those of what flaps. */
import type { SqlClient } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import { broadcastTargets } from "../../domain/subscriber/BroadcastTargets.ts"
import { dampen, dampingWindow } from "../../domain/subscriber/Damping.ts"
import { coveredComponents } from "../incident/MaintenanceScope.ts"
import { findAll } from "../postgres/Queries.ts"

/** An event and a page that it goes out to, which has subscribers. */
const Reached = Schema.Struct({
  ordinal: Schema.Int,
  eventId: Schema.String,
  pageId: Schema.String,
  workspaceId: Schema.String,
  /** Whether subscribers are notified of its update. */
  notifies: Schema.Boolean
})

/** An event, and a page or a component whose page it may go out to. */
interface Wish {
  readonly event: WorkspaceEvent
  readonly pageId: string | null
  readonly componentId: string | null
  readonly updateId: string | null
  /** Whether it is the maintenance of a component that begins or ends. */
  readonly planned: boolean
}

const Recent = Schema.Struct({
  eventId: Schema.String,
  pageId: Schema.String,
  thread: Schema.String,
  subject: Schema.String,
  opens: Schema.Boolean,
  dueAt: Schema.Number
})

/**
 * Broadcasts of the last hour that are looked at, an equal part of them for each page, and those of a page in any case: those of a page
 * that flaps are few, because they are held back.
 */
const mostRecent = 5000
const mostOfPage = 20

/**
 * Whether the last window of the component `c` is not announced to subscribers, who then hear neither of its start nor of its end. They
 * do if they heard of another change since it began. By the index of maintenance windows.
 */
const silent = (sql: SqlClient.SqlClient) =>
  sql`
    (wish.planned and coalesce((
      select not i.notify and not exists (
        select from broadcasts b where b.page_id = c.page_id and b.thread = c.id and b.created_at >= i.started_at)
      from incidents i cross join lateral ${sql.literal(coveredComponents)} affected
      where i.workspace_id = c.workspace_id and i.kind = 'maintenance' and i.status in ('in_progress', 'completed')
        and affected.component_id = c.id and affected.status <> 'operational'
      order by coalesce(i.resolved_at, 'infinity') desc, i.notify desc limit 1), false))`

const makeQueries = (sql: SqlClient.SqlClient) => {
  const reached = findAll(Reached, (wishes: ReadonlyArray<Wish>) =>
    sql`
      select wish.ordinal::int as ordinal, wish.event_id as "eventId", p.id as "pageId", p.workspace_id as "workspaceId",
             not exists (
               select from incident_updates u where u.id = wish.update_id and u.workspace_id = p.workspace_id and not u.notify
             ) and not ${silent(sql)} as notifies
      from unnest(${wishes.map(({ event }) => event.id)}::text[], ${wishes.map(({ event }) => event.workspaceId)}::text[],
                  ${wishes.map(({ pageId }) => pageId)}::text[], ${wishes.map(({ componentId }) => componentId)}::text[],
                  ${wishes.map(({ updateId }) => updateId)}::text[], ${wishes.map(({ planned }) => planned)}::boolean[])
        with ordinality as wish (event_id, workspace_id, page_id, component_id, update_id, planned, ordinal)
      left join components c on c.id = wish.component_id and c.workspace_id = wish.workspace_id and not c.hidden
      join pages p on p.id = coalesce(wish.page_id, c.page_id) and p.workspace_id = wish.workspace_id
      where exists (select from subscribers s where s.page_id = p.id and s.status = 'active')
        and not exists (select from broadcasts b where b.event_id = wish.event_id and b.page_id = p.id)
      order by wish.ordinal`)

  // By the partial index of damped broadcasts.
  const recent = findAll(Recent, (pageIds: ReadonlyArray<string>, since: DateTime.Utc) =>
    sql`
      select event_id as "eventId", b.page_id as "pageId", thread, subject, opens,
             (extract(epoch from case when expanded_at is null and position = '' then visited_at else created_at end) * 1000)::float8
               as "dueAt"
      from unnest(${pageIds}::text[]) as one (page_id)
      cross join lateral (
        select * from broadcasts
        where page_id = one.page_id and thread is not null and created_at > ${DateTime.toDateUtc(since)}
        order by created_at desc limit ${Math.max(mostOfPage, Math.floor(mostRecent / Math.max(1, pageIds.length)))}
      ) b`)

  /** Locks waiting broadcasts, so that no worker begins to send one before it is decided. */
  const lockWaiting = (pageIds: ReadonlyArray<string>, now: DateTime.Utc, since: DateTime.Utc) =>
    sql`
    select 1 from broadcasts
    where page_id = any(${pageIds}::text[]) and thread is not null and created_at > ${DateTime.toDateUtc(since)}
      and position = '' and expanded_at is null and visited_at > ${DateTime.toDateUtc(now)}
    order by event_id, page_id for update`

  return { reached, recent, lockWaiting }
}

export const makePlan = (sql: SqlClient.SqlClient) => {
  const { lockWaiting, reached, recent } = makeQueries(sql)

  /** Begins the broadcasts of new events, in the transaction that fans them out: only of pages with subscribers. */
  return Effect.fn("Broadcasts.plan")(function*(events: ReadonlyArray<WorkspaceEvent>, now: DateTime.Utc) {
    const wanted = events.flatMap((event) => {
      const { componentId, pageIds, ...facts } = broadcastTargets(event)
      return [
        ...pageIds.map((pageId) => ({ event, ...facts, pageId, componentId: null })),
        ...(componentId === null ? [] : [{ event, ...facts, pageId: null, componentId }])
      ]
    })
    if (wanted.length === 0) return 0
    const found = yield* reached(wanted)
    if (found.length === 0) return 0
    const news = found.map(({ eventId, notifies, pageId, ordinal, workspaceId }) => {
      const { about = null, isPublic = false } = wanted[ordinal - 1] ?? {}
      return { eventId, pageId, workspaceId, about, notifies: isPublic && notifies }
    })
    const damped = [...new Set(news.flatMap(({ about, pageId }) => about === null ? [] : [pageId]))]
    const since = DateTime.subtractDuration(now, dampingWindow)
    if (damped.length > 0) yield* lockWaiting(damped, now, since)
    const known = damped.length === 0 ? [] : yield* recent(damped, since)
    const { cancel, send } = dampen(known, news, now.epochMillis)
    const at = DateTime.toDateUtc(now)
    // Nothing of a waiting broadcast has been sent.
    if (cancel.length > 0) {
      yield* sql`
        delete from broadcasts
        where (event_id, page_id) in (
          select * from unnest(${cancel.map(({ eventId }) => eventId)}::text[], ${cancel.map(({ pageId }) => pageId)}::text[])
        ) and position = '' and expanded_at is null`
    }
    if (send.length === 0) return 0
    const workspaces = new Map(news.map(({ eventId, workspaceId }) => [eventId, workspaceId]))
    const begun = yield* sql`
      insert into broadcasts (event_id, page_id, workspace_id, thread, subject, opens, visited_at, created_at)
      select event_id, page_id, workspace_id, thread, subject, opens, to_timestamp(due_at / 1000), ${at}
      from unnest(${send.map((one) => one.news.eventId)}::text[], ${send.map((one) => one.news.pageId)}::text[],
                  ${send.map((one) => workspaces.get(one.news.eventId) ?? "")}::text[],
                  ${send.map((one) => one.counts?.thread ?? null)}::text[],
                  ${send.map((one) => one.counts?.subject ?? null)}::text[],
                  ${send.map(({ opens }) => opens)}::boolean[], ${send.map(({ dueAt }) => dueAt)}::float8[])
        as one (event_id, page_id, workspace_id, thread, subject, opens, due_at)
      on conflict do nothing returning 1`
    return begun.length
  }, Effect.orDie)
}
