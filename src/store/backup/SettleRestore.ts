/**
 * Settles what was due between the state that a database was restored to and now. The service may have sent it before, so nothing of it
 * is sent: each is recorded or counted. Pages and alerts that wait are decided by what the checks find (`RestoredDoubt`).
 */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import type { KeptBack } from "../../domain/backup/RestoreText.ts"
import { findSingle } from "../postgres/Queries.ts"
import { noteRestore, type Restore } from "./Restores.ts"

const reason = "The database was restored, and this was due before; it may have arrived then. Replay it if it is still wanted"

const Now = Schema.Struct({ now: Schema.DateTimeUtcFromDate })

/** A statement that changes rows and returns how many messages it keeps back, by kind. */
const statementsOf = (sql: SqlClient.SqlClient, at: Date) => {
  const counted = Effect.map((rows: ReadonlyArray<{ readonly count: number }>) => rows[0]?.count ?? 0)
  const count = (name: "changed" | "gone") => sql`select count(*)::int as count from ${sql(name)}`
  return {
    // A message that closes an alert at a paging service is right whenever it comes.
    deliveries: counted(sql`
      with changed as (
        update deliveries set status = 'dead', finished_at = ${at}, last_error = ${reason}
        where status = 'due' and due_at <= ${at} and not closes_alert returning 1
      ) ${count("changed")}`),
    mails: counted(sql`
      with changed as (
        update mails set status = 'dead', finished_at = ${at}, last_error = ${reason}, sealed = null
        where status = 'due' and due_at <= ${at} returning 1
      ) ${count("changed")}`),
    subscriberDeliveries: counted(sql`
      with gone as (
        delete from subscriber_deliveries where due_at <= ${at} returning event_id, page_id
      ), told as (
        update broadcasts b set dead = b.dead + g.count,
          retry_at = coalesce((select min(d.due_at) from subscriber_deliveries d
            where d.event_id = b.event_id and d.page_id = b.page_id and d.due_at > ${at}), 'infinity')
        from (select event_id, page_id, count(*)::int as count from gone group by event_id, page_id) g
        where b.event_id = g.event_id and b.page_id = g.page_id
      ) ${count("gone")}`),
    // A broadcast that nobody has prepared has no content to keep. Others keep their counts.
    broadcasts: counted(sql`
      with gone as (
        delete from broadcasts where contents is null and visited_at <= ${at} returning 1
      ), changed as (
        update broadcasts set expanded_at = ${at} where contents is not null and expanded_at is null and visited_at <= ${at} returning 1
      ) select ((select count(*) from gone) + (select count(*) from changed))::int as count`),
    groupedAlerts: counted(sql`
      with gone as (
        delete from alert_groups where due_at <= ${at} returning channel_id
      ) select count(*)::int as count from grouped_alerts where channel_id in (select channel_id from gone)`),
    quietAlerts: counted(sql`
      with gone as (
        delete from quiet_groups where due_at <= ${at} returning channel_id
      ) select count(*)::int as count from quiet_alerts where channel_id in (select channel_id from gone)`),
    events: counted(sql`
      with changed as (update events set fanned_out = true where not fanned_out returning 1) ${count("changed")}`),
    // An hour more, because the clocks may have changed in between: one that is early would be about the week before.
    digests: counted(sql`
      with changed as (
        update workspaces set digest_at = digest_at + interval '1 hour'
          + ceil(extract(epoch from ${at}::timestamptz - digest_at) / 604800 + 0.001) * interval '7 days'
        where digest_at <= ${at} returning 1
      ) ${count("changed")}`)
  } satisfies Record<KeptBack, Effect.Effect<number, unknown>>
}

/** Nobody knows which of them ended in the time that was lost: a stolen one would open again. People sign in again. */
const endSessions = (sql: SqlClient.SqlClient) =>
  Effect.all([sql`delete from sessions`, sql`delete from sign_in_links`], { discard: true })

/** Forgets the processes of the database that was copied: none of them is one of this one. */
export const forgetProcesses = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    Effect.forEach(
      ["cluster_locks", "cluster_runners", "listeners", "open_streams", "stream_processes", "live_watchers"],
      (table) => sql`delete from ${sql(table)}`,
      { discard: true }
    )
)

/** With other brokers, topics begin again: the offsets of the former ones say nothing about them. */
export const forgetOffsets = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from result_offsets`)

/** Settles what was due since `restoredTo`, in the caller's transaction, and records it. */
export const settleRestore = Effect.fn("SettleRestore.settle")(function*(restoredTo: DateTime.Utc) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select set_config('statement_timeout', '0', true)`
  const { now } = yield* findSingle(Now, () => sql`select now() as now`)()
  const at = DateTime.toDateUtc(now)
  const notSent = yield* Effect.all(statementsOf(sql, at))
  yield* endSessions(sql)
  const restore: Restore = { restoredTo, restoredAt: now, notSent }
  yield* noteRestore(restore)
  return restore
})

/** The last time at which something was written to a database that was recovered by other means. */
export const lastSignOfLife = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    findSingle(
      Schema.Struct({ at: Schema.NullOr(Schema.DateTimeUtcFromDate) }),
      () =>
        sql`
        select greatest(
          (select max(beat_at) from listeners), (select max(last_heartbeat) from cluster_runners),
          (select max(last_beat_at) from regions), (select max(newest_check_at) from regions)
        ) as at`
    )()
)
