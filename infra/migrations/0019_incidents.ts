/** Incidents that people write, maintenance windows, incident templates and postmortems. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    alter table incidents
      add acknowledgement jsonb,
      add ai_reports jsonb not null default '[]',
      add updated_at timestamptz`
  // An update without `by_person` was written by the service: its names are concealed, and it is translated.
  yield* sql`
    alter table incident_updates
      add by_person boolean not null default false,
      add notify boolean not null default true`
  yield* sql`alter table components add override_status text, add override_reason text`
  // The status by monitors or pushes alone, which an incident or a maintenance window may cover.
  yield* sql`alter table component_states add automatic_status text`
  yield* sql`create index open_incidents on incidents (workspace_id, id) where resolved_at is null`
  yield* sql`create index incidents_of_monitor on incidents (monitor_id, id) where monitor_id is not null`

  yield* sql`
    create table incident_templates (
      id text primary key,
      workspace_id text not null references workspaces on delete cascade,
      name text not null,
      kind text not null,
      title text not null,
      body text not null,
      status text not null,
      impact text not null,
      component_ids text[] not null,
      component_status text not null,
      position int not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`
  yield* sql`create index on incident_templates (workspace_id, position, id)`

  yield* sql`
    create table postmortem_versions (
      incident_id text not null references incidents on delete cascade,
      version int not null,
      workspace_id text not null,
      markdown text not null,
      public_summary text,
      ai boolean not null,
      made_by text not null,
      made_at timestamptz not null,
      published_at timestamptz,
      primary key (incident_id, version)
    )`
})
