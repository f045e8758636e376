/** Dependencies between monitors, and drills. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const dependencies = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table monitors add depends_on text[] not null default '{}'`
  // The present trouble of each monitor with dependencies. Without a reference to the monitor, which may be deleted meanwhile.
  yield* sql`
    create table dependent_troubles (
      monitor_id text primary key,
      workspace_id text not null references workspaces on delete cascade,
      told boolean not null,
      waiting_event_id text,
      parent_id text,
      review_at timestamptz
    )`
  yield* sql`create index on dependent_troubles (review_at) where review_at is not null`
  yield* sql`create index on dependent_troubles (workspace_id, parent_id) where parent_id is not null`
})

/** A drill keeps its receipt after the monitor that it was made with is gone. */
const drills = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table drills (
      id text primary key,
      workspace_id text not null references workspaces on delete cascade,
      monitor_id text not null,
      incident_id text,
      status text not null,
      stages jsonb not null,
      deliveries jsonb not null,
      paged jsonb not null,
      error text,
      created_at timestamptz not null,
      next_at timestamptz,
      deadline_at timestamptz not null,
      finished_at timestamptz
    )`
  yield* sql`create index on drills (workspace_id, id)`
  yield* sql`create index on drills (next_at) where next_at is not null`
  yield* sql`create unique index one_drill_at_a_time on drills (workspace_id) where finished_at is null`
})

export default Effect.all([dependencies, drills], { discard: true })
