/** Delegated keys, the audit log, stored responses of idempotent requests, and a workspace's Stripe ids and upstreams. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    alter table api_keys
      add column parent_id text references api_keys on delete cascade,
      add column operations text[]`
  yield* sql`create index on api_keys (parent_id)`

  // Triggers send the notifications, so no code path that ends a key, a session or a membership can omit them.
  yield* sql`
    create function tell_access_ended() returns trigger language plpgsql as $$
    begin
      perform pg_notify('belltower_access_ended', to_jsonb(old) ->> tg_argv[0]);
      return null;
    end $$`
  yield* sql`
    create trigger tell_revoked after update of revoked_at on api_keys
    for each row when (new.revoked_at is not null) execute function tell_access_ended('id')`
  yield* sql`
    create trigger tell_deleted after delete on api_keys
    for each row execute function tell_access_ended('id')`
  yield* sql`
    create trigger tell_ended after delete on sessions
    for each row execute function tell_access_ended('id')`
  yield* sql`
    create trigger tell_changed after delete or update of role on memberships
    for each row execute function tell_access_ended('user_id')`

  yield* sql`
    alter table workspaces
      add column upstreams jsonb not null default '[]',
      add column stripe_customer_id text unique,
      add column stripe_subscription_id text unique`

  yield* sql`
    create table audit_log (
      id text primary key,
      workspace_id text not null references workspaces on delete cascade,
      at timestamptz not null,
      operation text not null,
      target text,
      actor jsonb not null,
      via text not null,
      ip text
    )`
  yield* sql`create index on audit_log (workspace_id, id)`
  yield* sql`create index on audit_log (at)`

  // A row without an answer is a request in progress. When its lease expires, its process counts as dead.
  yield* sql`
    create table idempotent_requests (
      workspace_id text not null references workspaces on delete cascade,
      place bytea not null,
      operation text not null,
      fingerprint bytea not null,
      owner text not null,
      leased_until timestamptz not null,
      answer text,
      created_at timestamptz not null,
      primary key (workspace_id, place)
    )`
  yield* sql`create index on idempotent_requests (created_at)`
})
