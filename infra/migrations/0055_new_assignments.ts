/** Which lines of the outbox are about a new monitor: no actor can hold earlier settings of it, so none is woken to load it. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table assignment_outbox add column is_new boolean not null default false`
})
