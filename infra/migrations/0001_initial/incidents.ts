/** Incidents, with what was said and written about them. */
export default [
  // Written by the actors of monitors and components, by people, agents and imports, and by the incident's actor. Maintenance
  // windows are incidents, too. Nothing deletes them before their workspace.
  `create table incidents (
    id text primary key,
    workspace_id text not null references workspaces on delete cascade,
    kind text not null,
    automatic boolean not null,
    public boolean not null,
    monitor_id text references monitors on delete set null,
    title text not null,
    status text not null,
    impact text not null,
    components jsonb not null,
    page_ids text[] not null,
    acknowledgement jsonb,
    likely_upstream jsonb,
    ai_summary text,
    ai_reports jsonb not null default '[]',
    scheduled_start timestamptz,
    scheduled_end timestamptz,
    started_at timestamptz not null,
    resolved_at timestamptz,
    updated_at timestamptz not null
  )`,
  `create index on incidents (workspace_id, id)`,
  `create index on incidents using gin (page_ids)`,
  `create index on incidents (monitor_id)`,
  `create index incidents_of_monitor on incidents (monitor_id, id) where monitor_id is not null`,
  `create index open_incidents on incidents (workspace_id, id) where resolved_at is null`,
  `create unique index one_open_automatic_incident on incidents (monitor_id) where automatic and resolved_at is null`,
  // For uptime and for alerts.
  `create index maintenance_of_workspace on incidents (workspace_id, coalesce(resolved_at, 'infinity'))
  where kind = 'maintenance'`,

  // Written with each change of an incident: at most 500 that people write. An update without `by_person` was written by the
  // service: its names are concealed, and it is translated.
  `create table incident_updates (
    id text primary key,
    workspace_id text not null,
    incident_id text not null references incidents on delete cascade,
    status text not null,
    body text not null,
    at timestamptz not null,
    by_person boolean not null default false,
    ai boolean not null default false,
    public boolean not null,
    notify boolean not null default true
  )`,
  `create index on incident_updates (incident_id, id)`,

  // Written by people and agents: the newest 100 versions of each incident.
  `create table postmortem_versions (
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
  )`,

  // Written by people and agents; bounded by the cap of templates.
  `create table incident_templates (
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
  )`,
  `create index on incident_templates (workspace_id, position, id)`
]
