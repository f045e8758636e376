/** On-call schedules, escalation policies, and the alerting of open incidents. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table oncall_schedules (
      id text primary key,
      workspace_id text not null references workspaces on delete cascade,
      name text not null,
      timezone text not null,
      handoff_day int not null,
      handoff_time text not null,
      participants text[] not null,
      start_day text not null,
      feed_version int not null default 1,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`
  yield* sql`create index on oncall_schedules (workspace_id, id)`

  yield* sql`
    create table oncall_overrides (
      id text primary key,
      workspace_id text not null,
      schedule_id text not null references oncall_schedules on delete cascade,
      user_id text not null,
      start_at timestamptz not null,
      end_at timestamptz not null,
      note text,
      created_at timestamptz not null
    )`
  yield* sql`create index on oncall_overrides (schedule_id, end_at)`

  yield* sql`
    create table escalation_policies (
      id text primary key,
      workspace_id text not null references workspaces on delete cascade,
      name text not null,
      is_default boolean not null,
      monitor_ids text[] not null,
      page_ids text[] not null,
      levels jsonb not null,
      repeat int not null,
      repeat_after_minutes int not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`
  yield* sql`create index on escalation_policies (workspace_id, id)`
  yield* sql`create unique index default_policy on escalation_policies (workspace_id) where is_default`

  // How far the alerting of an open incident is. An incident without a row has neither a policy nor reminders.
  yield* sql`
    create table incident_alerting (
      incident_id text primary key references incidents on delete cascade,
      workspace_id text not null,
      policy_id text,
      next_level int,
      next_round int,
      next_at timestamptz,
      unacknowledged_since timestamptz not null,
      reminded_minutes int not null
    )`
})
