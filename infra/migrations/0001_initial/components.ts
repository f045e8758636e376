/** The components of status pages, and their statuses. */
export default [
  // Written by edits of a page; bounded by the cap of groups of a page.
  `create table component_groups (
    id text primary key,
    workspace_id text not null,
    page_id text not null references pages on delete cascade,
    name text not null,
    description text,
    collapsed boolean not null default false,
    position int not null
  )`,
  `create index on component_groups (page_id)`,
  // Written by people, agents, plans and imports; bounded by the cap of components of a page. The status of a component comes
  // from its monitors, a key of a manifest monitor, pushes or people.
  `create table components (
    id text primary key,
    workspace_id text not null,
    page_id text not null references pages on delete cascade,
    name text not null,
    key text not null,
    description text,
    group_id text references component_groups on delete set null,
    monitor_ids text[] not null,
    aggregate text not null,
    manifest_monitor_id text,
    manifest_key text,
    push boolean not null default false,
    push_ttl_sec int,
    push_token_hash bytea unique,
    push_token_sealed text,
    confirmations int not null default 2,
    manual boolean not null,
    override_status text,
    override_reason text,
    show_uptime boolean not null,
    show_response_times boolean not null,
    hidden boolean not null,
    position int not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    unique (page_id, key)
  )`,
  `create index on components using gin (monitor_ids)`,
  `create index on components (group_id)`,
  `create index components_of_manifest on components (manifest_monitor_id) where manifest_monitor_id is not null`,

  // Written by the component's actor: one row for each component. A component without a row has not been announced yet.
  // `automatic_status` is the status by monitors or pushes alone, which an incident or a maintenance window may cover.
  `create table component_states (
    component_id text primary key references components on delete cascade,
    workspace_id text not null,
    version int not null,
    status text not null,
    status_message text,
    automatic_status text,
    push jsonb,
    incident_id text,
    changed_at timestamptz not null
  ) with (fillfactor = 60)`,
  // Written by the component's actor: the statuses that pushes, manifests and people set, with their durations. Components that
  // follow monitors use their monitors' spans. Kept for BELLTOWER_KEEP_HISTORY_DAYS after their end.
  `create table component_spans (
    component_id text not null references components on delete cascade,
    workspace_id text not null,
    started_at timestamptz not null,
    ended_at timestamptz,
    state text not null,
    primary key (component_id, started_at)
  )`,
  `create index component_spans_ended_at on component_spans (ended_at) where ended_at is not null`,
  // Written as results with manifests arrive: one row for each observation, whatever number of regions or redeliveries reports
  // it. Only reports that can change the component are stored, about 100 of a component, and its actor deletes them when it takes
  // them.
  `create table manifest_reports (
    component_id text not null references components on delete cascade,
    workspace_id text not null,
    observed_at float8 not null,
    status text,
    message text,
    primary key (component_id, observed_at)
  )`
]
