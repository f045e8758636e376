/** Finds the maintenance windows of a workspace that were running since an instant, whose time is outside of uptime. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create index maintenance_of_workspace on incidents (workspace_id, coalesce(resolved_at, 'infinity'))
    where kind = 'maintenance'`
})
