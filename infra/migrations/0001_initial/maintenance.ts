/** Maintenance windows: what follows from one by itself, and the outages that began in one. */
export default [
  // Written with a window that has reminders or comes again, one row for each; goes with its window. `first_start` is the start
  // of the series' first window, from which the rule counts.
  `create table maintenance_plans (
    incident_id text primary key references incidents on delete cascade,
    workspace_id text not null references workspaces on delete cascade,
    remind_minutes int[] not null default '{}',
    reminded_at timestamptz,
    rule text,
    timezone text,
    first_start timestamptz not null,
    message text not null
  )`,
  `create index on maintenance_plans (workspace_id)`,

  // Written by a monitor's actor that opens an incident during a window: the incident is not shown where the window is. Its actor
  // deletes the row once the incident is shown everywhere, or over.
  `create table outages_in_maintenance (
    incident_id text primary key references incidents on delete cascade,
    workspace_id text not null,
    component_ids text[] not null,
    show_at timestamptz not null
  )`
]
