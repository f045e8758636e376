/** Workspaces that their owners deleted and can restore for a while. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // Set while it can be restored. A key that deleted it got a token to restore it with. The monitors that were paused before the
  // deletion stay paused after a restore.
  `alter table workspaces add column deleted_at timestamptz, add column deleted_by text, add column restore_hash bytea,
     add column kept_paused text[]`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
