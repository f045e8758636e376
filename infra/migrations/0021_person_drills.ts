/** Drills of one person: who is paged, and what became of each way. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // Null in a drill of channels. The release before ignores both.
  `alter table drills add column person text, add column ways jsonb`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
