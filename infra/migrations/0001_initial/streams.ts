/** Open streams of all processes. */
export default [
  // Written by each process with streams, every few seconds. One that stops renewing its lease has no streams: killing it leaves
  // nothing to clean up before others may open streams. Deleted a minute after its lease.
  `create table stream_processes (
    process text primary key,
    until timestamptz not null
  )`,
  // Written when a stream opens and deleted when it closes, or with its process. Counted against the caps of a key, a workspace
  // and an address.
  `create table open_streams (
    id text primary key,
    process text not null,
    address text not null,
    workspace_id text references workspaces on delete cascade,
    principal text
  )`,
  `create index on open_streams (process)`,
  `create index on open_streams (address)`,
  `create index on open_streams (workspace_id)`,
  `create index on open_streams (principal)`,
  // Written by each process while a workspace has a live stream in it: only checks of these workspaces are relayed as
  // `check.completed` frames. A row that is not renewed is deleted after 15 s.
  `create table live_watchers (
    watcher text not null,
    workspace_id text not null,
    until timestamptz not null,
    primary key (watcher, workspace_id)
  )`
]
