/** Escalation policies, and how far the alerting of each incident is. */
export default [
  // Written by people, agents and plans; bounded by the cap of policies.
  `create table escalation_policies (
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
  )`,
  `create index on escalation_policies (workspace_id, id)`,
  `create unique index default_policy on escalation_policies (workspace_id) where is_default`,

  // Written as an incident opens and by its actor: one row for each incident. An incident without a row has neither a policy nor
  // reminders.
  `create table incident_alerting (
    incident_id text primary key references incidents on delete cascade,
    workspace_id text not null,
    policy_id text,
    next_level int,
    next_round int,
    next_at timestamptz,
    unacknowledged_since timestamptz not null,
    reminded_minutes int not null
  )`
]
