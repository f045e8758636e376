/** The events of a workspace by type. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { OutsideTransaction } from "../../src/store/postgres/Migration.ts"

const statements = [
  `drop index concurrently if exists events_by_type`,
  // Of src/store/event/EventLog.ts: a list of rare types passes over no other events.
  `create index concurrently events_by_type on events (workspace_id, type, id)`
]

export default new OutsideTransaction(Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
))
