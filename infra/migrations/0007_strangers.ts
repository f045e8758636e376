/** Invitations of the operator, the browsers in which people have signed in, and which targets visitors may name. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // Written by the command of the operator, deleted when they expire.
  `create table operator_invitations (
    token_hash bytea primary key,
    uses_left integer not null,
    created_at timestamptz not null,
    expires_at timestamptz not null
  )`,
  // At most 20 of a person. They outlive sessions, and open nothing.
  `create table known_browsers (
    token_hash bytea primary key,
    user_id text not null references users on delete cascade,
    seen_at timestamptz not null
  )`,
  `create index on known_browsers (user_id, seen_at)`,
  `create index on known_browsers (seen_at)`,
  // Whether the target may be at a private address that all workspaces reach: of those that exist, it may.
  `alter table subscribers add column reaches_private boolean not null default true`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
