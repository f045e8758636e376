/**
 * Deliveries to alert channels. They wait in one queue for each channel and one turn for each workspace, so that a claim reads
 * only what is due.
 */
export default [
  // Written by the fan-out and by tests of channels; deleted 30 days after they ended. `alert_key`: the alert at a paging
  // service that it is about. `captured`: the mail was stored, not sent.
  `create table deliveries (
    id text primary key,
    workspace_id text not null references workspaces on delete cascade,
    event_id text not null,
    channel_id text not null references channels on delete cascade,
    body text not null,
    status text not null check (status in ('due', 'delivered', 'dead')),
    attempts int not null default 0,
    due_at timestamptz not null,
    last_status_code int,
    last_error text,
    latency_ms int,
    captured boolean not null default false,
    alert_key text,
    closes_alert boolean not null default false,
    created_at timestamptz not null,
    finished_at timestamptz,
    unique (event_id, channel_id)
  )`,
  `create index on deliveries (workspace_id)`,
  `create index deliveries_of_workspace on deliveries (workspace_id, id)`,
  `create index on deliveries (channel_id)`,
  `create index deliveries_first_idx on deliveries (channel_id, due_at) where status = 'due' and attempts = 0`,
  `create index deliveries_retry_idx on deliveries (channel_id, due_at) where status = 'due' and attempts > 0`,
  `create index deliveries_alert_idx on deliveries (channel_id, alert_key) where alert_key is not null`,
  `create index on deliveries (finished_at) where status <> 'due'`,

  // Written by a trigger on deliveries and by the workers: one row for each channel. Lanes: `0` first attempts, `1` retries; `2`
  // and `3` the same at slow receivers.
  `create table delivery_queues (
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
  )`,
  `create index on delivery_queues (workspace_id, lane, ready_at)`,
  // Written by the trigger and by the workers: one row for each workspace and lane.
  `create table delivery_turns (
    workspace_id text not null references workspaces on delete cascade,
    lane smallint not null,
    ready_at timestamptz not null,
    primary key (workspace_id, lane)
  )`,
  `create index on delivery_turns (lane, ready_at)`,

  // Rows are locked in order: queues by channel, then turns.
  `create function queue_deliveries() returns trigger language plpgsql as $$
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
  end $$`,
  `create trigger queue_deliveries after insert on deliveries
  referencing new table as inserted for each statement execute function queue_deliveries()`
]
