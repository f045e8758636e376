/** The newest checks, the regions that they come from, and how far they are read. */
export default [
  // Written by the runners as results arrive; bounded by the intervals of the monitors. `CheckPartitions` makes a partition for
  // each hour, whose rows become blocks within two hours, and drops it. `latency_ms`: a job may report hours, and a `real` is
  // exact to the millisecond only up to 4.6 hours.
  `create table checks (
    id text not null,
    at timestamptz not null,
    workspace_id text not null,
    monitor_id text not null,
    region text not null,
    outcome text not null,
    counted boolean not null,
    status_code int,
    latency_ms double precision,
    error text,
    cause text,
    timings json,
    evidence json,
    evidence_omitted text,
    primary key (id, at)
  ) partition by range (at)`,
  `create index on checks (monitor_id, at)`,
  // Holds rows that no partition covers, so a late partition loses nothing.
  `create table checks_default partition of checks default`,
  // Written by compaction: checks that it could not encode. Kept as long as other checks.
  `create table checks_set_aside (
    id text not null,
    at timestamptz not null,
    workspace_id text not null,
    monitor_id text not null,
    reason text not null,
    data json not null,
    set_aside_at timestamptz not null default now(),
    primary key (id, at)
  )`,
  `create index on checks_set_aside (set_aside_at)`,
  // Written as evidence is stored: its bytes by workspace and UTC day, for yesterday and today. No foreign key: the checks of a
  // deleted workspace may still be on their way.
  `create table evidence_usage (
    workspace_id text not null,
    day date not null,
    bytes bigint not null,
    primary key (workspace_id, day)
  )`,
  `create index on evidence_usage (day)`,

  // Written as probes send beats and results: one row for each region, until the operator removes it. `alone_at` is when the
  // region was last found to see most of its targets fail while no other region did. `last_result_at` shows a region that sends
  // beats but no results. By `newest_check_at` any process sees whether checks are still stored.
  `create table regions (
    id text primary key,
    first_seen_at timestamptz not null,
    last_beat_at timestamptz not null,
    last_result_at timestamptz,
    newest_check_at timestamptz,
    alone_at timestamptz
  )`,
  // Written by the runner that reads a partition, several times a second in place: where the results of each partition continue.
  // One row for each partition of the topic.
  `create table result_offsets (
    topic text not null,
    partition int not null,
    reader text not null,
    next_offset bigint,
    primary key (topic, partition)
  ) with (fillfactor = 20)`
]
