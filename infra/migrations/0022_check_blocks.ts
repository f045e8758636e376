/** The history of checks: compressed blocks, evidence, and rollups; all in partitions that are dropped when they expire. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // Successive checks of one monitor within a UTC day. `tag` is in the ids of its checks; `outcomes` has a bit for each outcome
  // in the block. `untagged`: an id does not lead to the block, so its bytes are searched for.
  yield* sql`
    create table check_blocks (
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
    ) partition by range (first_at)`
  // The data is compressed already.
  yield* sql`alter table check_blocks alter column data set storage external`
  yield* sql`create index on check_blocks (tag, last_at)`
  yield* sql`create index on check_blocks (workspace_id, last_at) where form <> 'tagged'`
  yield* sql`create table check_blocks_default partition of check_blocks default`

  yield* sql`
    create table check_evidence (
      id text not null,
      at timestamptz not null,
      workspace_id text not null,
      octets int not null,
      data bytea not null,
      primary key (id, at)
    ) partition by range (at)`
  yield* sql`alter table check_evidence alter column data set storage external`
  yield* sql`create table check_evidence_default partition of check_evidence default`

  // By monitor and UTC day: tallies of half hours, and those of the whole day, which are kept longer.
  for (const table of ["check_rollups", "check_days"]) {
    yield* sql`
      create table ${sql(table)} (
        monitor_id text not null,
        day timestamptz not null,
        workspace_id text not null,
        data bytea not null,
        primary key (monitor_id, day)
      ) partition by range (day)`
    yield* sql`create table ${sql(`${table}_default`)} partition of ${sql(table)} default`
  }
})
