/** Writes the results of attempts to reach subscribers, in bulk. */
import type { SqlClient } from "@effect/sql"
import { DateTime, Effect } from "effect"
import type { DeliveryVerdict } from "../../domain/alert/DeliveryVerdict.ts"
import type { HeldBroadcast } from "./BroadcastClaim.ts"

/** A verdict on an attempt, or a later time without one. */
export type BroadcastOutcome = DeliveryVerdict | { readonly _tag: "Postponed"; readonly at: DateTime.Utc }

export interface Settled {
  readonly delivery: HeldBroadcast
  readonly outcome: BroadcastOutcome
}

/** The answer by which a receiver ends its subscription (Specification: Events, Retries). */
const gone = 410

const errorOf = (outcome: BroadcastOutcome): string | null =>
  outcome._tag === "Again" || outcome._tag === "Dead" ? outcome.error : null

type Dead = ReadonlyArray<{ readonly id: string; readonly isGone: boolean }>

const deadOf = (settled: ReadonlyArray<Settled>): Dead =>
  settled.flatMap(({ delivery, outcome }) =>
    outcome._tag === "Dead" ? [{ id: delivery.subscriber.id, isGone: outcome.statusCode === gone }] : []
  )

/** Counts deliveries that died, and wakes the actors of their subscribers; returns how many. */
const wakeActors = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, dead: Dead, now: DateTime.Utc) {
  const woken = yield* sql`
    with locked as materialized (
      select id from subscribers where id = any(${dead.map(({ id }) => id)}::text[]) order by id for no key update
    ), counted as (
      update subscribers s set dead_deliveries = s.dead_deliveries + one.count, is_gone = s.is_gone or one.is_gone
      from (
        select id, count(*)::int as count, bool_or(is_gone) as is_gone
        from unnest(${dead.map(({ id }) => id)}::text[], ${dead.map(({ isGone }) => isGone)}::bool[]) as d (id, is_gone)
        join locked using (id) group by id
      ) one where s.id = one.id
      returning s.id, s.workspace_id
    )
    insert into alarms (kind, id, workspace_id, due_at)
    select 'subscriber', id, workspace_id, ${DateTime.toDateUtc(now)} from counted order by id
    on conflict (kind, id) do update set due_at = least(alarms.due_at, excluded.due_at)
    returning 1`
  return woken.length
})

/** The broadcasts of results, in the order in which they are locked. */
const keysOf = (settled: ReadonlyArray<Settled>) => ({
  events: settled.map(({ delivery }) => delivery.eventId),
  pages: settled.map(({ delivery }) => delivery.pageId)
})

/** A table of one row, which sets the lock timeout of the transaction before a row of the others can be locked. */
const patience = (sql: SqlClient.SqlClient, patienceMs: number) =>
  sql`(select set_config('lock_timeout', ${String(patienceMs)}, true)) patience`

/** Locks the broadcasts before it changes deliveries, so one statement is enough. */
const write = (sql: SqlClient.SqlClient, settled: ReadonlyArray<Settled>, patienceMs: number) => {
  const { events, pages } = keysOf(settled)
  return sql`
    with result as materialized (
      -- Of two claims of one delivery, that which reached the receiver counts.
      select distinct on (event_id, page_id, subscriber_id) * from unnest(
        ${events}::text[], ${pages}::text[], ${settled.map(({ delivery }) => delivery.subscriber.id)}::text[],
        ${settled.map(({ delivery }) => DateTime.toDateUtc(delivery.heldUntil))}::timestamptz[],
        ${settled.map(({ outcome }) => outcome._tag)}::text[], ${settled.map(({ outcome }) => errorOf(outcome))}::text[],
        ${settled.map(({ outcome }) => "at" in outcome ? DateTime.toDateUtc(outcome.at) : null)}::timestamptz[]
      ) as r (event_id, page_id, subscriber_id, held_until, tag, error, due_at)
      order by event_id, page_id, subscriber_id, tag = 'Delivered' desc
    ), locked as materialized (
      select 1 from broadcasts b cross join ${patience(sql, patienceMs)}
      join (select distinct event_id, page_id from result) one using (event_id, page_id)
      order by event_id, page_id for no key update of b
    ), ended as (
      delete from subscriber_deliveries d using result r
      where d.event_id = r.event_id and d.page_id = r.page_id and d.subscriber_id = r.subscriber_id
        and (d.due_at = r.held_until or r.tag = 'Delivered') and r.tag in ('Delivered', 'Captured', 'Dead')
        and (select count(*) from locked) > 0
      returning d.event_id, d.page_id, r.tag
    ), again as (
      update subscriber_deliveries d
      set due_at = r.due_at, attempts = d.attempts + case when r.tag = 'Again' then 1 else 0 end,
          last_error = coalesce(r.error, d.last_error)
      from result r
      where d.event_id = r.event_id and d.page_id = r.page_id and d.subscriber_id = r.subscriber_id
        and d.due_at = r.held_until and r.tag in ('Again', 'Postponed') and (select count(*) from locked) > 0
      returning d.event_id, d.page_id, d.due_at
    ), counted as (
      select event_id, page_id, count(*) filter (where tag = 'Delivered')::int as delivered,
             count(*) filter (where tag = 'Dead')::int as dead, min(due_at) as due_at
      from (
        select event_id, page_id, tag, null::timestamptz as due_at from ended
        union all
        select event_id, page_id, null, due_at from again
      ) results group by event_id, page_id
    )
    update broadcasts b
    set delivered = b.delivered + c.delivered, dead = b.dead + c.dead, retry_at = least(b.retry_at, c.due_at)
    from counted c where b.event_id = c.event_id and b.page_id = c.page_id`
}

const lock = (sql: SqlClient.SqlClient, settled: ReadonlyArray<Settled>, patienceMs: number) => {
  const { events, pages } = keysOf(settled)
  return sql`
    select 1 from broadcasts b cross join ${patience(sql, patienceMs)}
    join (select distinct * from unnest(${events}::text[], ${pages}::text[])) as one (event_id, page_id) using (event_id, page_id)
    order by event_id, page_id for no key update of b`
}

/** Holds deliveries for another lease, and notes it in them; not those that another worker has taken over. */
export const renewLeases = Effect.fn("Broadcasts.renew")(
  function*(sql: SqlClient.SqlClient, held: ReadonlyArray<HeldBroadcast>, until: DateTime.Utc) {
    const rows = yield* sql<{ readonly ordinal: number }>`
      update subscriber_deliveries d set due_at = ${DateTime.toDateUtc(until)}
      from unnest(${held.map(({ eventId }) => eventId)}::text[], ${held.map(({ pageId }) => pageId)}::text[],
                  ${held.map(({ subscriber }) => subscriber.id)}::text[],
                  ${held.map(({ heldUntil }) => DateTime.toDateUtc(heldUntil))}::timestamptz[])
        with ordinality as h (event_id, page_id, subscriber_id, until, ordinal)
      where d.event_id = h.event_id and d.page_id = h.page_id and d.subscriber_id = h.subscriber_id and d.due_at = h.until
      returning h.ordinal::int`
    for (const { ordinal } of rows) {
      const one = held[ordinal - 1]
      if (one !== undefined) one.heldUntil = until
    }
  }
)

/**
 * Returns how many actors it woke: those of subscribers whose receiver is gone, or whose deliveries die, decide about them.
 * Rows are locked in order: broadcasts, subscribers, deliveries. Fails if it waits for a lock for longer than `patienceMs`.
 */
export const writeResults = (
  sql: SqlClient.SqlClient,
  settled: ReadonlyArray<Settled>,
  now: DateTime.Utc,
  patienceMs: number
) => {
  const dead = deadOf(settled)
  if (dead.length === 0) return settled.length === 0 ? Effect.succeed(0) : Effect.as(write(sql, settled, patienceMs), 0)
  return sql.withTransaction(
    Effect.zipRight(lock(sql, settled, patienceMs), Effect.zipLeft(wakeActors(sql, dead, now), write(sql, settled, patienceMs)))
  )
}
