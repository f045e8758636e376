/** Ping keys, by which jobs name their heartbeat with a slug. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // Written by editors: at most one for each workspace. `may_create`: a ping of an unknown slug may make its heartbeat.
  `create table ping_keys (
    workspace_id text primary key references workspaces on delete cascade,
    key_hash bytea not null unique,
    sealed text not null,
    may_create boolean not null,
    created_at timestamptz not null
  )`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
