/** The settings that only some types of channel have, as their records show them. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // The URL and the header names stay in columns of their own: the version before reads and changes them there.
  yield* sql`alter table channels add column settings jsonb not null default '{}'`
})
