/** The runners of a cluster that show signs of life in the database, and the shards that they hold. */
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { tryOne } from "./postgres/Queries.ts"

const Live = Schema.Struct({
  runners: Schema.Int,
  /** Shards that one of them holds. */
  shards: Schema.Int
})

/**
 * A runner refreshes its row and its locks three times within `withinSec`, so one that was killed, hangs or is cut off is missing here,
 * even if no other runner is left to notice. Both tables have a row per runner and per shard.
 */
export const makeLiveRunners = Effect.map(SqlClient.SqlClient, (sql) => {
  const live = tryOne(Live, (withinSec: number) =>
    sql`
      with live as (
        select address from cluster_runners where last_heartbeat > now() - make_interval(secs => ${withinSec}::float8)
      )
      select (select count(*)::int from live) as runners, (
        select count(*)::int from cluster_locks
        where acquired_at > now() - make_interval(secs => ${withinSec}::float8) and address in (select address from live)
      ) as shards`)

  return {
    /** How many runners have shown a sign of life within a time, s, and how many shards they hold. */
    count: (withinSec: number) => Effect.flatten(live(withinSec)),
    /** Whether the runner at an address is registered as healthy, so that it gets shards. */
    isListed: ({ host, port }: { readonly host: string; readonly port: number }) =>
      Effect.map(
        sql`select 1 from cluster_runners where address = ${`${host}:${port}`} and healthy`,
        (rows) => rows.length === 1
      )
  }
})
