/** Heartbeats of jobs, and the time in which somebody listened for them. */
export default [
  // Written by edits of heartbeat monitors and by pings: one row for each such monitor. Updated in place at every ping, so no
  // column that a ping changes is indexed.
  `create table heartbeats (
    monitor_id text primary key references monitors on delete cascade,
    workspace_id text not null,
    token_hash bytea not null unique,
    token_sealed text not null,
    expected_from timestamptz not null,
    last_ping_at timestamptz,
    last_check jsonb,
    calm boolean not null default false,
    minute int not null default 0,
    minute_count int not null default 0
  ) with (fillfactor = 50)`,
  // Written by pings that may change a state, and deleted by the monitor's actor when it takes them. They reference the heartbeat
  // and not the monitor: an edit locks the monitor's row and then waits for the heartbeat's, so the other order could deadlock.
  `create table heartbeat_news (
    monitor_id text not null references heartbeats on delete cascade,
    sequence bigint generated always as identity,
    check_id text not null,
    at timestamptz not null,
    outcome text not null,
    latency_ms double precision,
    error text,
    primary key (monitor_id, sequence)
  )`,
  // Written by each process that receives reports, every 3 s: since when it has. Time in which no process could receive reports
  // must not count as a missed heartbeat. A process without a beat for a minute is deleted.
  `create table listeners (
    id text primary key,
    began_at timestamptz not null,
    since timestamptz not null,
    beat_at timestamptz not null
  )`
]
