/** Whom a drill should have paged and no page reaches. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table drills add unreached jsonb not null default '[]'`
})
