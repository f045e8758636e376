/** How far the database is from its limits. Cheap at any size: it counts no rows. */
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { findAll, findSingle } from "./postgres/Queries.ts"

/** Tables whose rows are estimated, for a view of the tenants as a whole. */
const counted = ["workspaces", "monitors", "pages", "subscribers", "channels", "incidents", "api_keys"] as const

const Figures = Schema.Struct({
  bytes: Schema.Number,
  connections: Schema.Int,
  maxConnections: Schema.Int,
  /** s; 0 without one. Of other users only with the right to see their statements. */
  oldestTransaction: Schema.Number,
  /** 0 to 1; PostgreSQL takes no writes before 1. */
  transactionIdsUsed: Schema.Number,
  /** By table, as of its last analysis. */
  rows: Schema.Record({ key: Schema.String, value: Schema.Number })
})
export type DatabaseFigures = typeof Figures.Type

export const makeDatabaseFigures = Effect.map(SqlClient.SqlClient, (sql) =>
  findSingle(Figures, () =>
    sql`
    select
      pg_database_size(current_database())::float8 as bytes,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as "maxConnections",
      (
        select coalesce(extract(epoch from greatest(clock_timestamp() - min(xact_start), interval '0')), 0)::float8
        from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()
      ) as "oldestTransaction",
      (select age(datfrozenxid)::float8 / 2147483647 from pg_database where datname = current_database()) as "transactionIdsUsed",
      (
        select json_object_agg(name, greatest(0, reltuples)::float8)
        from unnest(${[...counted]}::text[]) as name join pg_class on pg_class.oid = to_regclass(name)
      ) as rows`))

const Backup = Schema.Struct({ at: Schema.Number })

/** When the newest backup by `belltower backup` was begun, ms since 1970; null if there was none. */
export const makeNewestBackup = Effect.map(SqlClient.SqlClient, (sql) => {
  const newest = findAll(Backup, () => sql`select extract(epoch from taken_at)::float8 * 1000 as at from backups`)
  return Effect.map(newest(), ([row]) => row?.at ?? null)
})
