/** The open deliveries of a channel that no longer carries them: other channels with the same target take them over. */
import type { SqlClient } from "@effect/sql"
import type { ChannelId, WorkspaceId } from "../../../schema/Ids.ts"

/**
 * Moves the open deliveries that the channel shares, each to the first that is among `heirs`. An attempt under way keeps
 * its lease: its delivery is due again when that ends, unless it succeeds. Locks the queue first, as all writers of deliveries do.
 */
export const handOverDeliveries = (
  sql: SqlClient.SqlClient,
  workspaceId: WorkspaceId,
  channelId: ChannelId,
  heirs: ReadonlyArray<ChannelId>
) =>
  sql`
  with queue as materialized (
    select held_until from delivery_queues where workspace_id = ${workspaceId} and channel_id = ${channelId} for update
  ), heir as materialized (
    select d.id, next.id as channel_id, (select held_until from queue) as held_until
    from deliveries d
    cross join lateral (
      select shared.id from unnest(d.shared_with) with ordinality as shared (id, place)
      where shared.id = any(${[...heirs]}::text[])
        and not exists (select from deliveries own where own.event_id = d.event_id and own.channel_id = shared.id)
      order by shared.place limit 1
    ) next
    where d.workspace_id = ${workspaceId} and d.channel_id = ${channelId} and d.status = 'due' and d.shared_with <> '{}'
  ), taken as (
    delete from deliveries d using heir where d.workspace_id = ${workspaceId} and d.id = heir.id and d.status = 'due'
    returning d.*, heir.channel_id as heir_id, heir.held_until
  )
  insert into deliveries (id, workspace_id, event_id, channel_id, shared_with, alert_key, closes_alert, body, status, attempts, due_at,
                          last_status_code, last_error, created_at)
  select id, workspace_id, event_id, heir_id, array_remove(shared_with, heir_id), alert_key, closes_alert, body, status, attempts,
         greatest(due_at, held_until), last_status_code, last_error, created_at
  from taken`

/** Gives the open deliveries of a channel up. */
export const endDeliveries = (sql: SqlClient.SqlClient, workspaceId: WorkspaceId, channelId: ChannelId, reason: string) =>
  sql`
  update deliveries set status = 'dead', last_error = ${reason}, finished_at = statement_timestamp()
  where workspace_id = ${workspaceId} and channel_id = ${channelId} and status = 'due'`
