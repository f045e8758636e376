/** The kinds of news that a subscriber of a status page chose. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // Of `incidents`, `maintenance`, `postmortems` and `components`; empty for all. The release before ignores it.
  `alter table subscribers add column kinds text[] not null default '{}'`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
