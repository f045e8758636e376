/** When the last result of a region's probes was taken in: one that beats and delivers nothing is to be noticed. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table regions add column last_result_at timestamptz`
})
