/** The deliveries of a workspace that are due, dead or captured, in the place of an index that another one covers. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { OutsideTransaction } from "../../src/store/postgres/Migration.ts"

const statements = [
  `drop index concurrently if exists deliveries_undelivered`,
  // Of src/store/alert/Deliveries.ts: a list of one status passes over no delivery of another one. Captured ones are 'delivered'.
  `create index concurrently deliveries_undelivered on deliveries (workspace_id, status, id)
   where status <> 'delivered' or captured`,
  // deliveries_of_workspace begins with the same column.
  `drop index concurrently if exists deliveries_workspace_id_idx`
]

export default new OutsideTransaction(Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
))
