/** The settings that only some channel types have, in the form that the API returns. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // The URL and the header names keep their own columns because the previous version reads and writes them there.
  yield* sql`alter table channels add column settings jsonb not null default '{}'`
})
