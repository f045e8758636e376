/**
 * Groups of alerts note the monitor whose alert opened them, and channels why their service takes no message. The release before
 * ignores both.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // Written by the fan-out; null if the alerts of several monitors opened the group.
  `alter table alert_groups add column opened_by text`,
  // Written by the delivery worker while the target of the channel is gone; its next delivery and new settings erase it.
  `alter table channels add column problem text, add column problem_at timestamptz`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
