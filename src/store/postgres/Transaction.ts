/** Runs work as one transaction. A database that fails is a defect. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export const inTransaction = (sql: SqlClient.SqlClient) => <A, E, R>(work: Effect.Effect<A, E, R>) =>
  sql.withTransaction(work).pipe(Effect.catchTag("SqlError", Effect.die))

export const makeTransaction = Effect.map(SqlClient.SqlClient, inTransaction)
