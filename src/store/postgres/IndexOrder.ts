/** Runs a query that reads a few rows in the order of an index, whatever the planner believes about the table. */
import type { SqlClient, SqlError } from "@effect/sql"
import { Effect } from "effect"
import { withNext } from "./LeanTransactions.ts"

/** In the caller's transaction. Statistics lag behind a backlog that grows within seconds: the planner would sort all of it. */
export const inIndexOrder = <A, E, R>(
  sql: SqlClient.SqlClient,
  query: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R> => {
  const others = (set: "on" | "off") =>
    withNext(sql`
      select set_config('enable_' || plan, ${set}, true) from unnest(array['bitmapscan', 'seqscan', 'hashjoin', 'mergejoin']) plan`)
  return Effect.zipRight(others("off"), Effect.zipLeft(query, others("on")))
}
