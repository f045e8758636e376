/** How often an attempt at a page has begun, so that of two processes that hold it one sends it. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // The release before counts nothing: the attempts that it leaves without a result look like none.
  `alter table deliveries add column begun integer not null default 0`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
