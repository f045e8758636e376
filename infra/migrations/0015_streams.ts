/** The open streams of all processes, counted against the caps of a key, a workspace and an address. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // A process that stops renewing its lease has no streams: killing it leaves nothing to clean up before others may open streams.
  yield* sql`
    create table stream_processes (
      process text primary key,
      until timestamptz not null
    )`
  yield* sql`
    create table open_streams (
      id text primary key,
      process text not null,
      address text not null,
      workspace_id text references workspaces on delete cascade,
      principal text
    )`
  yield* sql`create index on open_streams (process)`
  yield* sql`create index on open_streams (address)`
  yield* sql`create index on open_streams (workspace_id)`
  yield* sql`create index on open_streams (principal)`
})
