/** Alerts that wait: for others, for the end of quiet hours, or for what their monitor depends on. */
export default [
  // Written by the fan-out, for a channel whose alerts wait for others. The group is sent and deleted at `due_at`.
  `create table alert_groups (
    channel_id text primary key references channels on delete cascade,
    workspace_id text not null,
    opened_at timestamptz not null,
    due_at timestamptz not null
  )`,
  `create index on alert_groups (due_at)`,
  // Written by the fan-out; goes with its group.
  `create table grouped_alerts (
    channel_id text not null references alert_groups on delete cascade,
    event_id text not null,
    workspace_id text not null,
    flapping boolean not null default false,
    primary key (channel_id, event_id)
  )`,

  // Written by the fan-out, for a channel in its quiet hours. The alerts are sent and deleted at `due_at`.
  `create table quiet_groups (
    channel_id text primary key references channels on delete cascade,
    workspace_id text not null,
    due_at timestamptz not null
  )`,
  `create index on quiet_groups (due_at)`,
  // Written by the fan-out: the last alert about each subject. Goes with its group.
  `create table quiet_alerts (
    channel_id text not null references quiet_groups on delete cascade,
    subject text not null,
    workspace_id text not null,
    event_id text not null,
    incident_id text,
    title text not null,
    url text,
    primary key (channel_id, subject)
  )`,

  // Written by the fan-out: the present trouble of each monitor with dependencies or in maintenance, deleted when it is over.
  // Without a reference to the monitor, which may be deleted meanwhile.
  `create table dependent_troubles (
    monitor_id text primary key,
    workspace_id text not null references workspaces on delete cascade,
    told boolean not null,
    waiting_event_id text,
    parent_id text,
    due_at timestamptz
  )`,
  `create index on dependent_troubles (due_at) where due_at is not null`,
  `create index on dependent_troubles (workspace_id, due_at) where due_at is not null`,
  `create index on dependent_troubles (workspace_id, parent_id) where parent_id is not null`
]
