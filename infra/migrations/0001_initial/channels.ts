/** Alert channels, and what each was told. */
export default [
  // Written by people, agents, plans and imports; bounded by the cap of channels. `settings` are those that only some types have,
  // in the form that the API returns. A `group_alerts` of null is the default of the type. `target_hash` is a keyed hash of what
  // is sealed of the target, to recognize channels with the same one.
  `create table channels (
    id text primary key,
    workspace_id text not null references workspaces on delete cascade,
    name text not null,
    type text not null,
    url text,
    header_names text[] not null default '{}',
    settings jsonb not null default '{}',
    sealed text,
    target_hash bytea,
    events text[],
    group_alerts boolean,
    quiet_hours jsonb,
    is_default boolean not null,
    enabled boolean not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  `create index on channels (workspace_id)`,

  // Written by the fan-out: the channels that were alerted about an incident, for 30 days. `alert_key` is the key of the alert
  // that is open at a paging service.
  `create table alerted_channels (
    workspace_id text not null references workspaces on delete cascade,
    incident_id text not null,
    channel_id text not null,
    alerted_at timestamptz not null,
    alert_key text,
    primary key (workspace_id, incident_id, channel_id)
  )`,
  `create index on alerted_channels (alerted_at)`,

  // Written by the fan-out: what each channel has seen of a monitor that changes often, and what it was told of outages while it
  // flaps. One row for each channel and monitor, deleted at `ends_at`. Without a reference to the monitor, which may be deleted
  // meanwhile.
  `create table alert_streaks (
    channel_id text not null references channels on delete cascade,
    monitor_id text not null,
    workspace_id text not null,
    troubles timestamptz[] not null,
    troubled boolean not null,
    flapping boolean not null,
    down_at timestamptz,
    outage boolean not null default false,
    changed_at timestamptz not null,
    ends_at timestamptz not null,
    last_event_id text not null,
    primary key (channel_id, monitor_id)
  )`,
  `create index on alert_streaks (ends_at)`
]
