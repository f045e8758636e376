/**
 * The history of checks: compressed blocks, evidence and rollups, in partitions that are dropped when they expire; and the work
 * of compaction.
 */
export default [
  // Written by compaction, which appends to blocks; kept for BELLTOWER_KEEP_CHECKS_DAYS. Successive checks of one monitor within
  // a UTC day. `tag` is in the ids of its checks; `outcomes` has a bit for each outcome in the block. `untagged`: an id does not
  // lead to the block, so its bytes are searched for.
  `create table check_blocks (
    sequence bigint generated always as identity,
    first_at timestamptz not null,
    last_at timestamptz not null,
    tag int not null,
    checks smallint not null,
    outcomes smallint not null,
    form text not null,
    id_bytes int not null,
    workspace_id text not null,
    monitor_id text not null,
    data bytea not null
  ) partition by range (first_at)`,
  // The data is compressed already.
  `alter table check_blocks alter column data set storage external`,
  `create index on check_blocks (tag, last_at)`,
  `create index on check_blocks (workspace_id, last_at) where form <> 'tagged'`,
  `create table check_blocks_default partition of check_blocks default`,

  // Written by compaction; kept as long as the blocks, and bounded by the quota of evidence of each workspace and day.
  `create table check_evidence (
    id text not null,
    at timestamptz not null,
    workspace_id text not null,
    octets int not null,
    data bytea not null,
    primary key (id, at)
  ) partition by range (at)`,
  `alter table check_evidence alter column data set storage external`,
  `create table check_evidence_default partition of check_evidence default`,

  // Written by compaction: the tallies of half hours, one row for each monitor and UTC day. Kept for 31 days.
  `create table check_rollups (
    monitor_id text not null,
    day timestamptz not null,
    workspace_id text not null,
    data bytea not null,
    primary key (monitor_id, day)
  ) partition by range (day)`,
  `create table check_rollups_default partition of check_rollups default`,
  // Written by compaction: the tallies of whole days, one row for each monitor and UTC day. Kept for BELLTOWER_KEEP_HISTORY_DAYS.
  `create table check_days (
    monitor_id text not null,
    day timestamptz not null,
    workspace_id text not null,
    data bytea not null,
    primary key (monitor_id, day)
  ) partition by range (day)`,
  `create table check_days_default partition of check_days default`,

  // Written by the runner that begins a round: one row, the newest round. Every check before the horizon becomes part of a block.
  `create table compaction_rounds (horizon timestamptz primary key)`,
  // Written with the round, and deleted as they are done: ranges of monitor ids, and the end of the round at place 0. `holder`
  // fences off a runner that was paused for longer than it held its range.
  `create table compaction_ranges (
    place int primary key,
    horizon timestamptz not null,
    first_id text not null,
    before_id text,
    holder bigint not null default 0,
    held_until timestamptz not null default '-infinity'
  )`,
  `create sequence compaction_holders`
]
