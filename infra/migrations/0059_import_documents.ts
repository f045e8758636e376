/** The documents of previewed imports, which the import takes by their ids. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // Written by a preview whose caller may import; the three newest of a workspace, for an hour.
  `create table import_documents (
    id text primary key,
    workspace_id text not null references workspaces on delete cascade,
    sealed text not null,
    created_at timestamptz not null
  )`,
  `create index on import_documents (workspace_id, id desc)`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
