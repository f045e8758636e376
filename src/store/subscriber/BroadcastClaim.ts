/** The queries of a claim: retries that are due, then the next subscribers of a page, whose deliveries it creates and holds. */
import type { SqlClient } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { EventId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import type { BroadcastContents } from "../../domain/subscriber/BroadcastContent.ts"
import { findAll } from "../postgres/Queries.ts"
import { mayHear, reachedColumns, ReachedRow } from "./SubscriberRows.ts"

/** A broadcast whose turn it is, locked. */
export const ReadyBroadcast = Schema.Struct({
  eventId: EventId,
  pageId: PageId,
  workspaceId: WorkspaceId,
  /** The last subscriber that was reached. */
  position: Schema.String,
  isExpanded: Schema.Boolean,
  retryAt: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type ReadyBroadcast = typeof ReadyBroadcast.Type

const Retry = Schema.Struct({
  ...ReachedRow.fields,
  heldComponents: Schema.Array(Schema.String),
  attempts: Schema.Int
})
export type Retry = typeof Retry.Type

/** A delivery to a subscriber, as its worker holds it. */
export interface HeldBroadcast {
  readonly eventId: EventId
  readonly pageId: PageId
  readonly workspaceId: WorkspaceId
  readonly subscriber: ReachedRow
  /** The components of the subscription when the event went out. */
  readonly componentIds: ReadonlyArray<string>
  readonly attempts: number
  /** Moves on while its attempt lasts. */
  heldUntil: DateTime.Utc
  readonly contents: BroadcastContents
}

type Key = Pick<ReadyBroadcast, "eventId" | "pageId">

export const makeClaimQueries = (sql: SqlClient.SqlClient) => {
  const columns = sql.literal(reachedColumns)
  return {
    // A subscriber who may not hear of the page any more, such as a member who has left, gets no retry.
    retries: findAll(Retry, ({ eventId, pageId }: Key, now: DateTime.Utc, heldUntil: DateTime.Utc, limit: number) =>
      sql`
        with due as materialized (
          select subscriber_id from subscriber_deliveries
          where event_id = ${eventId} and page_id = ${pageId} and due_at <= ${DateTime.toDateUtc(now)}
          order by due_at limit ${limit} for update skip locked
        ), heard as materialized (
          select s.id from due join subscribers s on s.id = due.subscriber_id where ${mayHear(sql, pageId)}
        ), dropped as (
          delete from subscriber_deliveries d using due
          where d.event_id = ${eventId} and d.page_id = ${pageId} and d.subscriber_id = due.subscriber_id
            and d.subscriber_id not in (select id from heard)
        ), held as (
          update subscriber_deliveries d set due_at = ${DateTime.toDateUtc(heldUntil)}
          from heard where d.event_id = ${eventId} and d.page_id = ${pageId} and d.subscriber_id = heard.id
          returning d.subscriber_id, d.component_ids, d.attempts
        )
        select ${columns}, held.component_ids as "heldComponents", held.attempts
        from held join subscribers s on s.id = held.subscriber_id`),
    // By the partial index of active subscribers: of a public page, it reads only the rows that it returns.
    next: findAll(ReachedRow, ({ pageId, position }: ReadyBroadcast, limit: number) =>
      sql`
        select ${columns} from subscribers s
        where s.page_id = ${pageId} and s.status = 'active' and s.id > ${position} and ${mayHear(sql, pageId)}
        order by s.id limit ${limit}`),
    create: (key: Key, held: ReadonlyArray<ReachedRow>, heldUntil: DateTime.Utc) =>
      held.length === 0 ? Effect.void : sql`
        insert into subscriber_deliveries (event_id, page_id, subscriber_id, component_ids, due_at)
        select ${key.eventId}, ${key.pageId}, id, array(select jsonb_array_elements_text(components)),
               ${DateTime.toDateUtc(heldUntil)}
        from unnest(${held.map(({ id }) => id)}::text[],
                    ${held.map(({ componentIds }) => JSON.stringify(componentIds))}::jsonb[]) as one (id, components)
        on conflict do nothing`,
    /** The incident of these subscriptions has ended; their actors end them once its last event has had its time. */
    endIncident: (ids: ReadonlyArray<string>, now: DateTime.Utc) =>
      ids.length === 0 ? Effect.void : sql`
        with ended as (
          update subscribers set incident_ended_at = ${DateTime.toDateUtc(now)} where id = any(${ids}::text[])
          returning id, workspace_id
        )
        insert into alarms (kind, id, workspace_id, due_at)
        select 'subscriber', id, workspace_id, ${DateTime.toDateUtc(now)} from ended
        on conflict (kind, id) do update set due_at = excluded.due_at`,
    /** Ends a broadcast whose contents this version cannot read, so that it holds up no other. */
    abandon: ({ eventId, pageId }: Key, now: DateTime.Utc) =>
      Effect.zipRight(
        Effect.logError(
          `The broadcast of event ${eventId} on page ${pageId} cannot be read by this version; its subscribers are not notified`
        ),
        sql`
        update broadcasts set expanded_at = ${DateTime.toDateUtc(now)}, retry_at = 'infinity'
        where event_id = ${eventId} and page_id = ${pageId}`
      ),
    visited: (
      { eventId, pageId }: Key,
      { isExpanded, now, position }: { readonly isExpanded: boolean; readonly now: DateTime.Utc; readonly position: string }
    ) =>
      sql`
      update broadcasts
      set position = ${position}, visited_at = ${DateTime.toDateUtc(now)},
          expanded_at = case when ${isExpanded} then coalesce(expanded_at, ${DateTime.toDateUtc(now)}::timestamptz) end,
          retry_at = coalesce((
            select min(due_at) from subscriber_deliveries where event_id = ${eventId} and page_id = ${pageId}
          ), 'infinity')
      where event_id = ${eventId} and page_id = ${pageId}`
  }
}
