/** Plans: documents that workspaces are compared with, and which thing of a workspace each key of a document names. */
export default [
  // Written by each plan that is made: the newest 10 of a workspace. The document may contain secrets. The digest tells whether
  // the same document still means the same changes.
  `create table plans (
    id text primary key,
    workspace_id text not null references workspaces on delete cascade,
    sealed text not null,
    digest bytea not null,
    monitor_ids text[] not null,
    answer jsonb not null,
    created_at timestamptz not null,
    applied_at timestamptz
  )`,
  `create index on plans (workspace_id, id desc)`,

  // Written as a plan is applied, and deleted with the thing that it names. `made`: a plan created it, so a later one may delete
  // it.
  `create table plan_links (
    workspace_id text not null references workspaces on delete cascade,
    kind text not null,
    key text not null,
    resource_id text not null,
    made boolean not null,
    primary key (workspace_id, kind, key)
  )`
]
