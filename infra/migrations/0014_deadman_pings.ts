/** When the dead man's switch last pinged the outside service. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // Written by the apis, one row: which of them takes a ping is decided by who moves `claimed_at`. `pinged_at` is when the service last
  // accepted one.
  `create table deadman_pings (
    only_row boolean primary key default true check (only_row),
    claimed_at timestamptz not null,
    pinged_at timestamptz
  )`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
