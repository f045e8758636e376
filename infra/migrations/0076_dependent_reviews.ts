/** Alerts that wait for a parent are looked at one workspace at a time. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index on dependent_troubles (workspace_id, review_at) where review_at is not null`
})
