/** Finds the events and spans that have expired without a look at the others. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // Events lie in the order of their times, so a summary of each range of pages suffices.
  yield* sql`create index events_at on events using brin (at) with (pages_per_range = 32)`
  yield* sql`create index monitor_spans_ended_at on monitor_spans (ended_at) where ended_at is not null`
  yield* sql`create index component_spans_ended_at on component_spans (ended_at) where ended_at is not null`
})
