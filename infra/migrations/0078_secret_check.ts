/** A text sealed with the secret of the deployment, by which a process sees whether it was given the same one. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table secret_check (
      only_row boolean primary key default true check (only_row),
      sealed text not null,
      created_at timestamptz not null default now()
    )`
})
