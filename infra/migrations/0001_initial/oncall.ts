/** On-call schedules. */
export default [
  // Written by people, agents and plans; bounded by the cap of schedules.
  `create table oncall_schedules (
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
  )`,
  `create index on oncall_schedules (workspace_id, id)`,

  // Written by people, agents and plans: at most 200 of a schedule that have not ended.
  `create table oncall_overrides (
    id text primary key,
    workspace_id text not null,
    schedule_id text not null references oncall_schedules on delete cascade,
    user_id text not null,
    start_at timestamptz not null,
    end_at timestamptz not null,
    note text,
    created_at timestamptz not null
  )`,
  `create index on oncall_overrides (schedule_id, end_at)`
]
