/** The waiting alerts of a channel that no longer carries them: other channels with the same target take them over. */
import type { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { ChannelId, WorkspaceId } from "../../../schema/Ids.ts"
import { replacesOlder } from "./QuietAlerts.ts"

/** The first of those that share a row and are among `heirs`; null if there is none. */
const heirOf = (sql: SqlClient.SqlClient, heirs: ReadonlyArray<ChannelId>) =>
  sql`(
    select shared.id from unnest(shared_with) with ordinality as shared (id, place)
    where shared.id = any(${[...heirs]}::text[]) order by shared.place limit 1
  )`

/**
 * Moves the alerts of a group to the groups of their heirs, which are sent no later than it would have been. The lock waits for who
 * sends the group; the statement after it sees what is left.
 */
export const handOverGroup = (
  sql: SqlClient.SqlClient,
  workspaceId: WorkspaceId,
  channelId: ChannelId,
  heirs: ReadonlyArray<ChannelId>
) =>
  Effect.zipRight(
    sql`select from alert_groups where workspace_id = ${workspaceId} and channel_id = ${channelId} for update`,
    sql`
    with heir as materialized (
      select event_id, ${heirOf(sql, heirs)} as id from grouped_alerts
      where workspace_id = ${workspaceId} and channel_id = ${channelId}
    ), taken as (
      delete from grouped_alerts a using heir
      where a.workspace_id = ${workspaceId} and a.channel_id = ${channelId} and a.event_id = heir.event_id and heir.id is not null
      returning a.*, heir.id as heir_id
    ), opened as (
      insert into alert_groups as g (channel_id, workspace_id, opened_at, due_at)
      select heirs.id, ${workspaceId}, before.opened_at, before.due_at
      from (select distinct heir_id as id from taken) heirs
      join alert_groups before on before.workspace_id = ${workspaceId} and before.channel_id = ${channelId}
      order by heirs.id
      on conflict (channel_id) do update
      set opened_at = least(g.opened_at, excluded.opened_at), due_at = least(g.due_at, excluded.due_at)
    )
    insert into grouped_alerts (channel_id, workspace_id, event_id, shared_with, flapping)
    select heir_id, workspace_id, event_id, array_remove(shared_with, heir_id), flapping from taken
    on conflict (channel_id, event_id) do nothing`
  )

/** The same for alerts that wait in quiet hours. `ends` are when those of the heirs end. */
export const handOverQuiet = (
  sql: SqlClient.SqlClient,
  workspaceId: WorkspaceId,
  channelId: ChannelId,
  heirs: ReadonlyArray<ChannelId>,
  ends: ReadonlyArray<Date>
) =>
  Effect.zipRight(
    sql`select from quiet_groups where workspace_id = ${workspaceId} and channel_id = ${channelId} for update`,
    sql`
    with heir as materialized (
      select subject, ${heirOf(sql, heirs)} as id from quiet_alerts
      where workspace_id = ${workspaceId} and channel_id = ${channelId}
    ), taken as (
      delete from quiet_alerts a using heir
      where a.workspace_id = ${workspaceId} and a.channel_id = ${channelId} and a.subject = heir.subject and heir.id is not null
      returning a.*, heir.id as heir_id
    ), opened as (
      insert into quiet_groups (channel_id, workspace_id, due_at)
      select distinct taken.heir_id, taken.workspace_id, heirs.ends_at
      from taken join unnest(${[...heirs]}::text[], ${[
      ...ends
    ]}::timestamptz[]) as heirs (id, ends_at) on heirs.id = taken.heir_id
      order by taken.heir_id
      on conflict (channel_id) do update set due_at = excluded.due_at
    )
    insert into quiet_alerts (channel_id, workspace_id, event_id, subject, incident_id, title, url, shared_with)
    select heir_id, workspace_id, event_id, subject, incident_id, title, url, array_remove(shared_with, heir_id) from taken
    order by heir_id, subject
    ${replacesOlder(sql)}`
  )

/** The same for what a channel remembers of monitors: its heirs know what their receiver was told. What is newer stays. */
export const handOverStreaks = (
  sql: SqlClient.SqlClient,
  workspaceId: WorkspaceId,
  channelId: ChannelId,
  heirs: ReadonlyArray<ChannelId>
) =>
  sql`
  with heir as materialized (
    select monitor_id, ${heirOf(sql, heirs)} as id from alert_streaks
    where workspace_id = ${workspaceId} and channel_id = ${channelId}
  ), taken as (
    delete from alert_streaks s using heir
    where s.workspace_id = ${workspaceId} and s.channel_id = ${channelId} and s.monitor_id = heir.monitor_id and heir.id is not null
    returning s.*, heir.id as heir_id
  )
  insert into alert_streaks as s (channel_id, monitor_id, workspace_id, troubles, troubled, flapping, down_at, outage, changed_at,
                                  ends_at, last_event_id, shared_with)
  select heir_id, monitor_id, workspace_id, troubles, troubled, flapping, down_at, outage, changed_at, ends_at, last_event_id,
         array_remove(shared_with, heir_id)
  from taken order by heir_id, monitor_id
  on conflict (channel_id, monitor_id) do update
  set troubles = excluded.troubles, troubled = excluded.troubled, flapping = excluded.flapping, down_at = excluded.down_at,
      outage = excluded.outage, changed_at = excluded.changed_at, ends_at = excluded.ends_at,
      last_event_id = excluded.last_event_id, shared_with = excluded.shared_with
  where s.changed_at < excluded.changed_at`
