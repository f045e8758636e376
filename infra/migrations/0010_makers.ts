/** The member responsible for an API key, and whether the change of an audit entry is known to have completed. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // Null for a key of the workspace itself, such as the agent's first key.
  yield* sql`alter table api_keys add column created_by text references users on delete cascade`
  yield* sql`create index on api_keys (created_by)`

  // An entry is written before the change and settled after it. If the process dies in between, the entry stays unsettled.
  yield* sql`alter table audit_log add column settled boolean not null default true`
})
