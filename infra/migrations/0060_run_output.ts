/** The output of a run of one ping, in the row of the run. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // Written with runs of their own, pings that bring output and belong to no start: then it is all that the run printed, and
  // `job_logs` has no row. A second row with its two index entries costs more than the text. The release before writes `job_logs`.
  `alter table job_runs add column output text`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
