/** Deploy markers. */
export default [
  // Written by people, agents and pipelines: the newest 10,000 of a workspace.
  `create table deploys (
    id text primary key,
    workspace_id text not null references workspaces on delete cascade,
    version text,
    commit text,
    url text,
    environment text,
    description text,
    service text,
    monitor_ids text[] not null,
    page_ids text[] not null,
    at timestamptz not null,
    created_at timestamptz not null
  )`,
  `create index on deploys (workspace_id, at, id)`
]
