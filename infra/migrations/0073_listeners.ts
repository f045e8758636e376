/** What each process that receives reports records of the time in which it did; `listening` goes on for the version before. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table listeners (
      id text primary key,
      began_at timestamptz not null,
      since timestamptz not null,
      beat_at timestamptz not null
    )`
})
