/** The deleted workspaces by age, of which the oldest are removed for good. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { OutsideTransaction } from "../../src/store/postgres/Migration.ts"

const statements = [
  `drop index concurrently if exists deleted_workspaces`,
  `create index concurrently deleted_workspaces on workspaces (deleted_at) where deleted_at is not null`
]

export default new OutsideTransaction(Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
))
