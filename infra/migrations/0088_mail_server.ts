/** The mail server that the operator sets in the dashboard, and the sessions of operators. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // One row at most. Without sealed settings, none is set.
  yield* sql`
    create table mail_server (
      id boolean primary key default true check (id),
      revision bigint not null,
      sealed text,
      updated_at timestamptz not null
    )`
  yield* sql`alter table sign_in_links add column for_operator boolean not null default false`
  yield* sql`alter table sessions add column of_operator boolean not null default false`
})
