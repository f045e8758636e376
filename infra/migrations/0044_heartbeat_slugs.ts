/** The heartbeats of a workspace by the slug of their name. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { OutsideTransaction } from "../../src/store/postgres/Migration.ts"

const statements = [
  `drop index concurrently if exists heartbeat_slugs`,
  // The expression is that of src/store/monitor/PingKeys.ts.
  `create index concurrently heartbeat_slugs
   on monitors (workspace_id, (trim(both '-' from regexp_replace(lower(name), '[^a-z0-9]+', '-', 'g'))))
   where kind = 'heartbeat'`
]

export default new OutsideTransaction(Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
))
