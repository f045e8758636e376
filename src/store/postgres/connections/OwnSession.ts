/** A session outside the pool. */
import type * as Reactivity from "@effect/experimental/Reactivity"
import type { SqlClient, SqlError } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Effect, type Scope } from "effect"
import pg, { type ClientConfig } from "pg"

/**
 * Its settings and its advisory locks last as long as its connection, and work that takes hours keeps no connection from the pool.
 * `name` says in `pg_stat_activity` what it is for.
 */
export const acquireSession = (
  connection: ClientConfig,
  name: string
): Effect.Effect<SqlClient.SqlClient, SqlError.SqlError, Reactivity.Reactivity | Scope.Scope> => {
  const pool = Effect.acquireRelease(
    Effect.sync(() => {
      const one = new pg.Pool({
        ...connection,
        max: 1,
        idleTimeoutMillis: 0,
        keepAliveInitialDelayMillis: 10_000,
        application_name: `${connection.application_name ?? ""} ${name}`.trim()
      })
      // The statement in progress reports the error.
      return one.on("error", () => {})
    }),
    (one) => Effect.promise(() => one.end()).pipe(Effect.interruptible, Effect.timeoutOption("2 seconds"))
  )
  return PgClient.fromPool({ acquire: pool })
}
