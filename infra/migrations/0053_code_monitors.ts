/** An index of the monitors that run code: plans limit their number, so each new one counts them. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index code_monitors on monitors (workspace_id) where kind in ('script', 'browser')`
})
