/** Weekly digests. */
export default [
  // Written when a digest is sent: one row for each workspace and week.
  `create table digest_runs (
    workspace_id text not null references workspaces on delete cascade,
    week text not null,
    event_id text not null,
    recipients int not null,
    captured boolean not null default false,
    sent_at timestamptz not null,
    primary key (workspace_id, week)
  )`
]
