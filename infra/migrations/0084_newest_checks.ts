/** The time of the newest stored check of each region, so that any process sees whether monitoring goes on. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table regions add newest_check_at timestamptz`
  // Until the next result, the time at which the last one arrived stands in.
  yield* sql`update regions set newest_check_at = last_result_at`
})
