/** The work of compaction, split among runners, and the checks that it could not encode. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // The newest round: every check before the horizon becomes part of a block.
  yield* sql`create table compaction_rounds (horizon timestamptz primary key)`
  // What is left of the round: ranges of monitor ids, and the end of the round at place 0. `holder` fences off a runner that
  // was paused for longer than it held its range.
  yield* sql`
    create table compaction_ranges (
      place int primary key,
      horizon timestamptz not null,
      first_id text not null,
      before_id text,
      holder bigint not null default 0,
      held_until timestamptz not null default '-infinity'
    )`
  yield* sql`create sequence compaction_holders`
  yield* sql`
    create table checks_set_aside (
      id text not null,
      at timestamptz not null,
      workspace_id text not null,
      monitor_id text not null,
      reason text not null,
      data json not null,
      set_aside_at timestamptz not null default now(),
      primary key (id, at)
    )`
  yield* sql`create index on checks_set_aside (set_aside_at)`
})
