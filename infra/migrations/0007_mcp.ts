/** MCP sessions that ended early. A session id with a valid signature that is not listed here is still active. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table mcp_sessions_ended (
      hash bytea primary key,
      until timestamptz not null
    )`
  yield* sql`create index on mcp_sessions_ended (until)`
})
