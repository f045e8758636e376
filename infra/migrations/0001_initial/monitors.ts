/** Monitors, their states, and their assignments to probes. */
export default [
  // Written by people, agents, plans and imports; bounded by the plan, and by a cap while the workspace is unclaimed. What lists
  // show of the sealed request (`header_names`, `has_body`) is valid while `outlined_revision` equals `revision`.
  `create table monitors (
    id text primary key,
    workspace_id text not null references workspaces on delete cascade,
    name text not null,
    description text,
    kind text not null,
    target jsonb not null,
    sealed text,
    header_names text[] not null default '{}',
    has_body boolean not null default false,
    interval_sec int not null,
    timeout_ms int not null,
    failure_threshold int not null,
    recovery_threshold int not null,
    confirm_after_sec int,
    failure_rate jsonb,
    depends_on text[] not null default '{}',
    channel_ids text[] not null,
    reminder_minutes int[] not null,
    ai boolean not null,
    tags text[] not null,
    paused boolean not null,
    regions text[] not null,
    revision int not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  `create index on monitors (workspace_id, id)`,
  `create index paused_monitors on monitors (workspace_id, id) where paused`,
  // Plans limit the number of monitors that run code, so each new one counts them.
  `create index code_monitors on monitors (workspace_id) where kind in ('script', 'browser')`,
  // The monitors of a region that delivers nothing.
  `create index on monitors using gin (regions)`,

  // Written by a trigger: the monitors that each region checks, the most frequent first, so that what a workspace's monitors see
  // of a region is found without a look at all of them. One row for each monitor and region.
  `create table monitor_regions (
    workspace_id text not null,
    region text not null,
    interval_sec int not null,
    monitor_id text not null,
    primary key (workspace_id, region, interval_sec, monitor_id)
  )`,
  `create function place_monitor_regions() returns trigger language plpgsql as $$
  begin
    if tg_op <> 'INSERT' then
      delete from monitor_regions where workspace_id = old.workspace_id and region = any(old.regions)
        and interval_sec = old.interval_sec and monitor_id = old.id;
    end if;
    if tg_op <> 'DELETE' and not new.paused and new.kind <> 'heartbeat' then
      insert into monitor_regions (workspace_id, region, interval_sec, monitor_id)
      select distinct new.workspace_id, region, new.interval_sec, new.id from unnest(new.regions) as region;
    end if;
    return null;
  end $$`,
  `create trigger placed_monitor_regions after insert or delete or update of regions, interval_sec, paused, kind on monitors
  for each row execute function place_monitor_regions()`,

  // Written by the monitor's actor: one row for each monitor. State that checks change is separate from the settings: narrow
  // rows, updated in place at every check. `expected_at` is when the monitor would be late; null while no round is expected.
  `create table monitor_states (
    monitor_id text primary key references monitors on delete cascade,
    workspace_id text not null,
    version int not null,
    state text not null,
    state_since timestamptz not null,
    machine jsonb not null,
    last_check jsonb,
    incident_id text,
    expected_at timestamptz
  ) with (fillfactor = 60)`,
  `create index on monitor_states (expected_at)`,
  // Checks do not change these columns, only changes of the state do.
  `create index monitor_states_of_workspace on monitor_states (workspace_id, state, monitor_id)`,

  // Written by the monitor's actor at each change of its state; kept for BELLTOWER_KEEP_HISTORY_DAYS after their end. `good_ms`
  // and `bad_ms` are the good and bad time before the span. The uptime of any period is the difference of two totals, so it costs
  // the same however often the state changed.
  `create table monitor_spans (
    monitor_id text not null references monitors on delete cascade,
    workspace_id text not null,
    started_at timestamptz not null,
    ended_at timestamptz,
    state text not null,
    good_ms bigint not null default 0,
    bad_ms bigint not null default 0,
    primary key (monitor_id, started_at)
  )`,
  `create index monitor_spans_ended_at on monitor_spans (ended_at) where ended_at is not null`,
  // Which states are good and which bad: see `weights` in src/domain/monitor/Uptime.ts.
  `create function monitor_span_good(state text) returns boolean immutable language sql as $$
    select case when state in ('up', 'degraded') then true when state = 'down' then false end $$`,
  // The span before ends where the new one starts.
  `create function total_monitor_spans() returns trigger language plpgsql as $$
  declare
    earlier record;
    lasted bigint;
  begin
    select * into earlier from monitor_spans
    where monitor_id = new.monitor_id and started_at < new.started_at order by started_at desc limit 1;
    if not found then return new; end if;
    lasted := round(extract(epoch from coalesce(earlier.ended_at, new.started_at) - earlier.started_at) * 1000);
    new.good_ms := earlier.good_ms + case when monitor_span_good(earlier.state) then lasted else 0 end;
    new.bad_ms := earlier.bad_ms + case when not monitor_span_good(earlier.state) then lasted else 0 end;
    return new;
  end $$`,
  `create trigger total_spans before insert on monitor_spans for each row execute function total_monitor_spans()`,

  // Written by edits and deletions, and deleted by `AssignmentPublisher` once probes and actors know: one row for each monitor at
  // most. Deletions (`gone`) have a queue of their own, so that edits never wait behind them. No actor can hold earlier settings
  // of a monitor that `is_new`, so none is woken to load it.
  `create table assignment_outbox (
    monitor_id text primary key,
    workspace_id text not null,
    sequence bigint generated always as identity,
    gone boolean not null default false,
    is_new boolean not null default false
  )`,
  `create index on assignment_outbox (gone, sequence)`,
  // Written by `AssignmentPublisher`: one row with the number of partitions by which the assignments were last published, so that
  // more partitions leave no old copy behind.
  `create table assignment_places (
    only_row boolean primary key default true check (only_row),
    partitions int not null
  )`
]
