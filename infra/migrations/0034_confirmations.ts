/** How soon a monitor confirms a failure, and the share of failed rounds that takes it down. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table monitors add column confirm_after_sec int, add column failure_rate jsonb`
})
