/** Finds the monitors of a workspace by state without a look at all of them, and counts them by state. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // Checks do not change these columns, only changes of the state do.
  yield* sql`create index monitor_states_of_workspace on monitor_states (workspace_id, state, monitor_id)`
  yield* sql`create index paused_monitors on monitors (workspace_id, id) where paused`
})
