/** The place of events and deliveries in traces (W3C Trace Context): null unless the trace is recorded. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  `alter table events add column traceparent text`,
  `alter table deliveries add column traceparent text`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
