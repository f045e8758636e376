/** The core tables: workspaces, monitors and their checks, events, incidents, pages, channels, deliveries. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table workspaces (
      id text primary key,
      name text not null,
      agent_name text,
      timezone text not null default 'UTC',
      plan text not null,
      claim_token_hash bytea unique,
      claimed_at timestamptz,
      expires_at timestamptz,
      last_event_id text,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`
  yield* sql`
    create table api_keys (
      id text primary key,
      workspace_id text not null references workspaces on delete cascade,
      name text not null,
      hash bytea not null unique,
      prefix text not null,
      scopes text[] not null,
      created_at timestamptz not null,
      expires_at timestamptz,
      revoked_at timestamptz,
      last_used_at timestamptz
    )`
  yield* sql`create index on api_keys (workspace_id)`
  yield* sql`
    create table rate_limits (
      key text not null,
      window_start timestamptz not null,
      count int not null,
      primary key (key, window_start)
    )`

  yield* sql`
    create table events (
      workspace_id text not null references workspaces on delete cascade,
      id text not null,
      type text not null,
      at timestamptz not null,
      data jsonb not null,
      fanned_out boolean not null default false,
      primary key (workspace_id, id)
    )`
  yield* sql`create index on events (id) where not fanned_out`

  yield* sql`
    create table channels (
      id text primary key,
      workspace_id text not null references workspaces on delete cascade,
      name text not null,
      type text not null,
      url text,
      header_names text[] not null default '{}',
      sealed text,
      events text[],
      is_default boolean not null,
      enabled boolean not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`
  yield* sql`create index on channels (workspace_id)`
  yield* sql`
    create table deliveries (
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
      created_at timestamptz not null,
      finished_at timestamptz,
      unique (event_id, channel_id)
    )`
  yield* sql`create index on deliveries (due_at) where status = 'due'`
  yield* sql`create index on deliveries (channel_id)`
  yield* sql`create index on deliveries (channel_id, due_at) where status = 'due'`
  yield* sql`create index on deliveries (finished_at) where status <> 'due'`

  yield* sql`
    create table monitors (
      id text primary key,
      workspace_id text not null references workspaces on delete cascade,
      name text not null,
      description text,
      kind text not null,
      target jsonb not null,
      sealed text,
      interval_sec int not null,
      timeout_ms int not null,
      failure_threshold int not null,
      recovery_threshold int not null,
      channel_ids text[] not null,
      reminder_minutes int[] not null,
      ai boolean not null,
      tags text[] not null,
      paused boolean not null,
      regions text[] not null,
      revision int not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`
  yield* sql`create index on monitors (workspace_id, id)`
  // State that checks change, separate from the settings: narrow rows, updated in place at every check.
  yield* sql`
    create table monitor_states (
      monitor_id text primary key references monitors on delete cascade,
      workspace_id text not null,
      version int not null,
      state text not null,
      state_since timestamptz not null,
      machine jsonb not null,
      last_check jsonb,
      incident_id text
    ) with (fillfactor = 60)`
  yield* sql`
    create table monitor_spans (
      monitor_id text not null references monitors on delete cascade,
      workspace_id text not null,
      started_at timestamptz not null,
      ended_at timestamptz,
      state text not null,
      primary key (monitor_id, started_at)
    )`
  // Monitors whose assignment has not been sent to the probes yet. The row of a deleted monitor stays until it is processed.
  yield* sql`
    create table assignment_outbox (
      monitor_id text primary key,
      workspace_id text not null,
      sequence bigint generated always as identity
    )`
  yield* sql`
    create table regions (
      id text primary key,
      first_seen_at timestamptz not null,
      last_beat_at timestamptz not null
    )`

  yield* sql`
    create table checks (
      id text not null,
      at timestamptz not null,
      workspace_id text not null,
      monitor_id text not null,
      region text not null,
      outcome text not null,
      counted boolean not null,
      status_code int,
      latency_ms real,
      error text,
      cause text,
      timings json,
      evidence json,
      primary key (id, at)
    ) partition by range (at)`
  yield* sql`create index on checks (monitor_id, at)`
  // Holds rows that no daily partition covers, so a late partition loses nothing.
  yield* sql`create table checks_default partition of checks default`

  yield* sql`
    create table incidents (
      id text primary key,
      workspace_id text not null references workspaces on delete cascade,
      kind text not null,
      automatic boolean not null,
      public boolean not null,
      monitor_id text references monitors on delete set null,
      title text not null,
      status text not null,
      impact text not null,
      components jsonb not null,
      page_ids text[] not null,
      started_at timestamptz not null,
      resolved_at timestamptz,
      scheduled_start timestamptz,
      scheduled_end timestamptz,
      ai_summary text
    )`
  yield* sql`create index on incidents (workspace_id, id)`
  yield* sql`create index on incidents using gin (page_ids)`
  yield* sql`create unique index one_open_automatic_incident on incidents (monitor_id) where automatic and resolved_at is null`
  yield* sql`
    create table incident_updates (
      id text primary key,
      workspace_id text not null,
      incident_id text not null references incidents on delete cascade,
      status text not null,
      body text not null,
      at timestamptz not null,
      ai boolean not null default false,
      public boolean not null
    )`
  yield* sql`create index on incident_updates (incident_id, id)`

  yield* sql`
    create table pages (
      id text primary key,
      workspace_id text not null references workspaces on delete cascade,
      name text not null,
      slug text not null unique,
      description text,
      custom_domain text unique,
      visibility text not null,
      theme jsonb not null,
      branding jsonb not null,
      settings jsonb not null,
      seo jsonb not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`
  yield* sql`create index on pages (workspace_id, id)`
  yield* sql`
    create table component_groups (
      id text primary key,
      workspace_id text not null,
      page_id text not null references pages on delete cascade,
      name text not null,
      description text,
      collapsed boolean not null default false,
      position int not null
    )`
  yield* sql`create index on component_groups (page_id)`
  yield* sql`
    create table components (
      id text primary key,
      workspace_id text not null,
      page_id text not null references pages on delete cascade,
      name text not null,
      key text not null,
      description text,
      group_id text references component_groups on delete set null,
      monitor_ids text[] not null,
      aggregate text not null,
      manual boolean not null,
      show_uptime boolean not null,
      show_response_times boolean not null,
      hidden boolean not null,
      position int not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      unique (page_id, key)
    )`
  yield* sql`create index on components using gin (monitor_ids)`

  // Workspaces with a live stream open: only their checks are relayed as `check.completed` frames.
  yield* sql`
    create table live_watchers (
      watcher text not null,
      workspace_id text not null,
      until timestamptz not null,
      primary key (watcher, workspace_id)
    )`
})
