/** The deleted workspaces by age, of which the oldest are removed for good, and monitors by what they watch. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { OutsideTransaction } from "../../src/store/postgres/Migration.ts"

const statements = [
  `drop index concurrently if exists deleted_workspaces`,
  `create index concurrently deleted_workspaces on workspaces (deleted_at) where deleted_at is not null`,
  `drop index concurrently if exists monitors_by_address`,
  // The expression is that of src/store/Duplicates.ts.
  `create index concurrently monitors_by_address
   on monitors (workspace_id, kind, md5(coalesce(target->>'url', target->>'host', lower(name))))`
]

export default new OutsideTransaction(Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
))
