/** Flapping monitors, and the quiet hours of alert channels. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** What each channel has seen of a monitor that changes often. Without a reference to the monitor, which may be deleted meanwhile. */
const streaks = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table alert_streaks (
      channel_id text not null references channels on delete cascade,
      monitor_id text not null,
      workspace_id text not null,
      troubles timestamptz[] not null,
      troubled boolean not null,
      flapping boolean not null,
      changed_at timestamptz not null,
      ends_at timestamptz not null,
      last_event_id text not null,
      primary key (channel_id, monitor_id)
    )`
  yield* sql`create index on alert_streaks (ends_at)`
  yield* sql`alter table grouped_alerts add flapping boolean not null default false`
})

/** Alerts that wait for the end of quiet hours, the last about each subject. */
const quiet = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table channels add quiet_hours jsonb`
  yield* sql`
    create table quiet_groups (
      channel_id text primary key references channels on delete cascade,
      workspace_id text not null,
      due_at timestamptz not null
    )`
  yield* sql`create index on quiet_groups (due_at)`
  yield* sql`
    create table quiet_alerts (
      channel_id text not null references quiet_groups on delete cascade,
      subject text not null,
      workspace_id text not null,
      event_id text not null,
      incident_id text,
      title text not null,
      url text,
      primary key (channel_id, subject)
    )`
})

export default Effect.all([streaks, quiet], { discard: true })
