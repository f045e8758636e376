/** How urgent the pages of a monitor are. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // `high` or `low`; null leaves it to the policy and the incident. The release before ignores it.
  `alter table monitors add column urgency text`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
