/** Who stands for an API key, and which changes the audit log knows to have been begun and not to have ended. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // Null where no person does: a key of the workspace itself, such as the agent's first.
  yield* sql`alter table api_keys add column created_by text references users on delete cascade`
  yield* sql`create index on api_keys (created_by)`

  // An entry is written before the change and settled after it: what a process that died had in hand stays unsettled.
  yield* sql`alter table audit_log add column settled boolean not null default true`
})
