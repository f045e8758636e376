/** The time a region was last found to see most of its targets fail while no other region did. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table regions add column alone_at timestamptz`
})
