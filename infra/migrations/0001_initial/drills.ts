/** Drills. */
export default [
  // Written by the process that runs the drill: one of a workspace at a time, 10 an hour. A drill keeps its receipt after the
  // monitor that it was made with is gone; nothing deletes it before its workspace. `captured` and `unreached`: whose mail was
  // stored, not sent, and whom it should have paged and no page reaches.
  `create table drills (
    id text primary key,
    workspace_id text not null references workspaces on delete cascade,
    monitor_id text not null,
    incident_id text,
    status text not null,
    stages jsonb not null,
    deliveries jsonb not null,
    paged jsonb not null,
    captured jsonb not null default '[]',
    unreached jsonb not null default '[]',
    error text,
    created_at timestamptz not null,
    due_at timestamptz,
    deadline_at timestamptz not null,
    finished_at timestamptz
  )`,
  `create index on drills (workspace_id, id)`,
  `create index on drills (due_at) where due_at is not null`,
  `create unique index one_drill_at_a_time on drills (workspace_id) where finished_at is null`
]
