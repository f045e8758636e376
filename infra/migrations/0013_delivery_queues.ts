/** Queues of deliveries: one row per channel and one turn per workspace, so that a claim reads only what is due. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** The deliveries of a channel that wait, as one row. `0` first attempts, `1` retries; `2` and `3` the same at slow receivers. */
const queues = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table delivery_queues (
      channel_id text primary key references channels on delete cascade,
      workspace_id text not null,
      first_at timestamptz not null default 'infinity',
      retry_at timestamptz not null default 'infinity',
      slow boolean,
      held_until timestamptz,
      held_lane smallint,
      lane smallint not null generated always as (
        coalesce(held_lane, case when slow then 2 else 0 end + case when first_at < 'infinity' then 0 else 1 end)
      ) stored,
      ready_at timestamptz not null generated always as (
        coalesce(held_until, case when first_at < 'infinity' then first_at else retry_at end)
      ) stored
    )`
  yield* sql`create index on delivery_queues (workspace_id, lane, ready_at)`
  yield* sql`
    create table delivery_turns (
      workspace_id text not null references workspaces on delete cascade,
      lane smallint not null,
      ready_at timestamptz not null,
      primary key (workspace_id, lane)
    )`
  yield* sql`create index on delivery_turns (lane, ready_at)`
})

/** In a trigger, so that deliveries that the previous version inserts are queued too. */
const trigger = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // Rows are locked in order: queues by channel, then turns.
  yield* sql`
    create function queue_deliveries() returns trigger language plpgsql as $$
    begin
      with opened as (
        insert into delivery_queues as q (channel_id, workspace_id, first_at, retry_at)
        select channel_id, min(workspace_id),
               coalesce(min(due_at) filter (where attempts = 0), 'infinity'),
               coalesce(min(due_at) filter (where attempts > 0), 'infinity')
        from inserted where status = 'due' group by channel_id order by channel_id
        on conflict (channel_id) do update
        set first_at = least(q.first_at, excluded.first_at), retry_at = least(q.retry_at, excluded.retry_at)
        returning workspace_id, lane, ready_at
      )
      insert into delivery_turns as t (workspace_id, lane, ready_at)
      select workspace_id, lane, min(ready_at) from opened group by workspace_id, lane order by workspace_id, lane
      on conflict (workspace_id, lane) do update set ready_at = excluded.ready_at where t.ready_at > excluded.ready_at;
      return null;
    end $$`
  yield* sql`
    create trigger queue_deliveries after insert on deliveries
    referencing new table as inserted for each statement execute function queue_deliveries()`
})

const waiting = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into delivery_queues (channel_id, workspace_id, first_at, retry_at)
    select channel_id, min(workspace_id),
           coalesce(min(due_at) filter (where attempts = 0), 'infinity'),
           coalesce(min(due_at) filter (where attempts > 0), 'infinity')
    from deliveries where status = 'due' group by channel_id`
  yield* sql`
    insert into delivery_turns (workspace_id, lane, ready_at)
    select workspace_id, lane, min(ready_at) from delivery_queues group by workspace_id, lane`
})

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* queues
  // Other channels with the same target, which the delivery serves too.
  yield* sql`alter table deliveries add column shared_with text[] not null default '{}'`
  // The index on (due_at) stays: the previous version claims by it.
  yield* sql`create index on deliveries (channel_id, (attempts > 0), due_at) where status = 'due'`
  yield* sql`drop index deliveries_channel_id_due_at_idx`
  yield* trigger
  yield* waiting
  // A keyed hash of a sealed URL, to recognize channels with the same one.
  yield* sql`alter table channels add column target_hash bytea`

  yield* sql`
    create table alerted_channels (
      workspace_id text not null references workspaces on delete cascade,
      incident_id text not null,
      channel_id text not null,
      alerted_at timestamptz not null,
      primary key (workspace_id, incident_id, channel_id)
    )`
  yield* sql`create index on alerted_channels (alerted_at)`
  yield* sql`
    insert into alerted_channels (workspace_id, incident_id, channel_id, alerted_at)
    select d.workspace_id, e.data -> 'incident' ->> 'id', d.channel_id, max(d.created_at)
    from deliveries d join events e on e.workspace_id = d.workspace_id and e.id = d.event_id
    where e.data -> 'incident' ->> 'id' is not null
    group by 1, 2, 3`
})
