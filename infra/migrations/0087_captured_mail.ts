/** Deliveries, drills and digests tell mail that was captured from mail that was sent. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // Its status stays 'delivered', which the version before can read.
  yield* sql`alter table deliveries add column captured boolean not null default false`
  yield* sql`alter table digest_runs add column captured boolean not null default false`
  yield* sql`alter table drills add column captured jsonb not null default '[]'`
})
