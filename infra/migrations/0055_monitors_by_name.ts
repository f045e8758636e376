/** The monitors of a workspace by name. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { OutsideTransaction } from "../../src/store/postgres/Migration.ts"

const statements = [
  `drop index concurrently if exists monitors_by_name`,
  // Of src/store/monitor/MonitorPages.ts: lists by name or by state pass over no more monitors than they show.
  `create index concurrently monitors_by_name on monitors (workspace_id, lower(name), id)`
]

export default new OutsideTransaction(Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
))
