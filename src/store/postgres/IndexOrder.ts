/** Runs a query that reads a few rows in the order of an index, whatever the planner believes about the table. */
import type { SqlClient, SqlError } from "@effect/sql"
import { Effect } from "effect"
import { withNext } from "./LeanTransactions.ts"

/** The planner's alternatives. */
const otherPlans = ["bitmapscan", "seqscan", "hashjoin", "mergejoin"]

const setPlans = (sql: SqlClient.SqlClient, set: "on" | "off", plans: ReadonlyArray<string>) =>
  withNext(sql`select set_config('enable_' || plan, ${set}, true) from unnest(${plans}::text[]) as plan`)

/**
 * For the rest of the caller's transaction. Statistics lag behind a queue that fills within seconds, and reading in the order of an index
 * is always right there.
 */
export const onlyInIndexOrder = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError.SqlError> =>
  setPlans(sql, "off", [...otherPlans, "sort"])

/** For one query in the caller's transaction, which may sort what it has read. */
export const inIndexOrder = <A, E, R>(sql: SqlClient.SqlClient, query: Effect.Effect<A, E, R>) =>
  Effect.zipRight(setPlans(sql, "off", otherPlans), Effect.zipLeft(query, setPlans(sql, "on", otherPlans)))
