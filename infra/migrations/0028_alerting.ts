/** Deploy markers, weekly digests and grouped alerts. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const deploys = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table deploys (
      id text primary key,
      workspace_id text not null references workspaces on delete cascade,
      version text,
      commit text,
      url text,
      environment text,
      description text,
      service text,
      monitor_ids text[] not null,
      page_ids text[] not null,
      at timestamptz not null,
      created_at timestamptz not null
    )`
  yield* sql`create index on deploys (workspace_id, at, id)`
})

const digests = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // Null is the default of the role.
  yield* sql`alter table memberships add digest boolean`
  // When the next digest is looked at; at most a week ahead.
  yield* sql`alter table workspaces add digest_at timestamptz not null default now()`
  yield* sql`
    update workspaces set digest_at =
      (date_trunc('week', now() at time zone timezone) + interval '7 days 8 hours') at time zone timezone`
  yield* sql`create index on workspaces (digest_at)`
  yield* sql`
    create table digest_runs (
      workspace_id text not null references workspaces on delete cascade,
      week text not null,
      event_id text not null,
      recipients int not null,
      sent_at timestamptz not null,
      primary key (workspace_id, week)
    )`
})

/** Alerts that wait for others, by channel. The group is sent at `due_at`. */
const groups = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // Null is the default of the type.
  yield* sql`alter table channels add group_alerts boolean`
  yield* sql`
    create table alert_groups (
      channel_id text primary key references channels on delete cascade,
      workspace_id text not null,
      opened_at timestamptz not null,
      due_at timestamptz not null
    )`
  yield* sql`create index on alert_groups (due_at)`
  yield* sql`
    create table grouped_alerts (
      channel_id text not null references alert_groups on delete cascade,
      event_id text not null,
      workspace_id text not null,
      primary key (channel_id, event_id)
    )`
})

export default Effect.all([deploys, digests, groups], { discard: true })
