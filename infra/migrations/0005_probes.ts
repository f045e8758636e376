/** Identities of probes, the tokens that they enrol with, and keys of the installation. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // Made once, at random, and sealed: one row for each purpose.
  `create table installation_keys (
    name text primary key,
    sealed text not null,
    created_at timestamptz not null default now()
  )`,
  // The secret of a token follows from its id and the installation's key.
  `create table probe_tokens (
    id text primary key,
    region text not null,
    uses_left integer not null,
    expires_at timestamptz not null
  )`,
  // At most 10,000. One that was not seen for 30 days is deleted. A revoked one stays until then, so that it learns that.
  `create table probes (
    id text primary key,
    region text not null,
    token_id text,
    public_key bytea not null unique,
    version text not null,
    enrolled_at timestamptz not null,
    last_seen_at timestamptz not null,
    revoked_at timestamptz
  )`,
  `create index on probes (last_seen_at)`,
  // Regions whose key was replaced. Their assignments are published again while "published" lies behind.
  `create table region_epochs (
    region text primary key,
    epoch integer not null,
    published integer not null
  )`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
