/** Due alarms are found by workspace, so that no workspace waits for another's. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create index alarms_of_workspaces on alarms (kind, workspace_id, due_at)`
})
