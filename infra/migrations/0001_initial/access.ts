/** Access by programs: API keys, what was done with them, and the limits and repeats of calls. */
export default [
  // Written by bootstrap, members and keys that delegate; bounded by the cap of keys. Deleted 30 days after they ended.
  // `created_by` is the member who is responsible; null for a key of the workspace itself, such as the agent's first key.
  `create table api_keys (
    id text primary key,
    workspace_id text not null references workspaces on delete cascade,
    parent_id text references api_keys on delete cascade,
    created_by text references users on delete cascade,
    name text not null,
    hash bytea not null unique,
    prefix text not null,
    scopes text[] not null,
    operations text[],
    created_at timestamptz not null,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz
  )`,
  `create index on api_keys (workspace_id)`,
  `create index on api_keys (parent_id)`,
  `create index on api_keys (created_by)`,
  `create trigger tell_revoked after update of revoked_at on api_keys
  for each row when (new.revoked_at is not null) execute function tell_access_ended('id')`,
  `create trigger tell_deleted after delete on api_keys
  for each row execute function tell_access_ended('id')`,

  // Written around each change that a caller makes; kept for a year. An entry is written before the change and settled after it.
  // If the process dies in between, the entry stays unsettled.
  `create table audit_log (
    id text primary key,
    workspace_id text not null references workspaces on delete cascade,
    at timestamptz not null,
    operation text not null,
    target text,
    actor jsonb not null,
    via text not null,
    ip text,
    settled boolean not null default true
  )`,
  `create index on audit_log (workspace_id, id)`,
  `create index on audit_log (at)`,

  // Written by requests with an idempotency key; kept for a day. A row without an answer is a request in progress. When its lease
  // expires, its process counts as dead.
  `create table idempotent_requests (
    workspace_id text not null references workspaces on delete cascade,
    place bytea not null,
    operation text not null,
    fingerprint bytea not null,
    owner text not null,
    held_until timestamptz not null,
    answer text,
    created_at timestamptz not null,
    primary key (workspace_id, place)
  )`,
  `create index on idempotent_requests (created_at)`,

  // Written by limited calls, one row for each caller, limit and window; kept for a day.
  `create table rate_limits (
    key text not null,
    window_start timestamptz not null,
    count int not null,
    primary key (key, window_start)
  )`,

  // Written when an MCP client ends its session, and deleted once the session would have expired. A session id with a valid
  // signature that is not listed here is still active.
  `create table mcp_sessions_ended (
    hash bytea primary key,
    until timestamptz not null
  )`,
  `create index on mcp_sessions_ended (until)`
]
