/** Imports from other services: the jobs, what became of each item, and what was made of which thing of the source. */
export default [
  // Written by the process that runs the import; one of a workspace at a time, deleted 90 days after it ended. That process holds
  // the credentials and renews the lease; a job whose lease has expired is over.
  `create table import_jobs (
    id text primary key,
    workspace_id text not null references workspaces on delete cascade,
    source text not null,
    status text not null,
    total int not null default 0,
    warnings jsonb not null default '[]',
    held_until timestamptz not null,
    started_at timestamptz,
    finished_at timestamptz
  )`,
  `create index on import_jobs (workspace_id, id desc)`,
  `create unique index on import_jobs (workspace_id) where status in ('queued', 'running')`,

  // Written as the job runs, at most 20,000; goes with its job. `name` is what the source calls the item: its ref means nothing
  // to people.
  `create table import_items (
    job_id text not null references import_jobs on delete cascade,
    position int not null,
    workspace_id text not null,
    ref text not null,
    kind text not null,
    name text not null,
    outcome text not null,
    resource_id text,
    reason text,
    primary key (job_id, position)
  )`,

  // Written as the job runs: one row for each thing of a source, so that a later import recognizes it. Nothing deletes it before
  // its workspace.
  `create table import_links (
    workspace_id text not null references workspaces on delete cascade,
    source text not null,
    ref text not null,
    kind text not null,
    resource_id text not null,
    primary key (workspace_id, source, ref)
  )`
]
