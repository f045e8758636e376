/** The time of the last result from a region's probes, to detect a region that sends beats but no results. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table regions add column last_result_at timestamptz`
})
