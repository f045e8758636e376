/** Apps that people give access to over OAuth: the apps, what they ask for, and the grants with their tokens. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // Set if the row is a grant. Its key is never given out: the release before finds none that fits.
  `alter table api_keys add column client_id text`,

  // Written by registrations, and by looks at the documents of apps that have one: then the id is its address, read at
  // fetched_at. Deleted when nothing has used it for long.
  `create table oauth_clients (
    id text primary key,
    name text not null,
    redirect_uris text[] not null,
    created_at timestamptz not null,
    fetched_at timestamptz,
    used_at timestamptz not null
  )`,
  `create index on oauth_clients (used_at)`,

  // Written when an app sends a person here, until that person has decided; for an hour.
  `create table oauth_requests (
    hash bytea primary key,
    client_id text not null references oauth_clients on delete cascade,
    redirect_uri text not null,
    state text,
    challenge text not null,
    scopes text[] not null,
    expires_at timestamptz not null
  )`,
  `create index on oauth_requests (client_id)`,
  `create index on oauth_requests (expires_at)`,

  // Written when a person agrees, and whenever the app renews its access. The row of api_keys with the same id has its name,
  // scopes and operations, and its end: that of the code at first, then of the newest refresh token. The family is the part that
  // all refresh tokens of a grant have in common, by which one that was used before is recognized.
  `create table oauth_grants (
    key_id text primary key references api_keys on delete cascade,
    client_id text not null,
    redirect_uri text not null,
    code_hash bytea not null unique,
    challenge text not null,
    code_expires_at timestamptz not null,
    code_used_at timestamptz,
    family_hash bytea unique,
    present_hashes text[] not null default '{}',
    previous_hashes text[] not null default '{}',
    rotated_at timestamptz
  )`,
  `create index on oauth_grants (client_id)`,

  // Written with each refresh; for an hour.
  `create table oauth_access_tokens (
    hash bytea primary key,
    key_id text not null references api_keys on delete cascade,
    expires_at timestamptz not null
  )`,
  `create index on oauth_access_tokens (key_id)`,
  `create index on oauth_access_tokens (expires_at)`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
