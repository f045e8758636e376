/** Workspaces, which everything else belongs to. */
export default [
  // Written by bootstrap, sign-up, edits of the workspace and notices of the payment provider. An unclaimed workspace is deleted
  // after 7 days, any other by its owner; nearly all rows of a workspace go with it.
  `create table workspaces (
    id text primary key,
    name text not null,
    agent_name text,
    timezone text not null default 'UTC',
    plan text not null,
    claim_token_hash bytea unique,
    claim_token_sealed text,
    claimed_at timestamptz,
    expires_at timestamptz,
    last_event_id text,
    upstreams jsonb not null default '[]',
    digest_at timestamptz not null default now(),
    stripe_customer_id text unique,
    stripe_subscription_id text unique,
    subscription jsonb,
    subscription_reading bigint not null default 0,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  `create index on workspaces (expires_at) where claimed_at is null`,
  // The digests that are due. `digest_at` is at most a week ahead.
  `create index on workspaces (digest_at)`,
  `create index workspaces_by_upstream on workspaces using gin (upstreams jsonb_path_ops)`
]
