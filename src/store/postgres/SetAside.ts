/**
 * A mark in a database that no process must use: a restore into it has not finished, or it was moved elsewhere. It is a table of its
 * own, because it is there before the schema and after the rows.
 */
import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { DatabaseUnavailable } from "./DatabaseUnavailable.ts"
import { findOne } from "./Queries.ts"

export const setAsideTable = "database_set_aside"

const Mark = Schema.Struct({ kind: Schema.Literal("unfinished", "moved"), reason: Schema.String })
type Mark = typeof Mark.Type

/** The mark, if there is one. */
export const setAsideMark = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql`select 1 from pg_class where oid = to_regclass(${setAsideTable})`
  return found.length === 0
    ? Option.none<Mark>()
    : yield* findOne(Mark, () => sql`select kind, reason from ${sql(setAsideTable)}`)()
})

/** Fails with the reason if the database is set aside. */
export const refuseSetAside = Effect.flatMap(
  setAsideMark,
  Option.match({ onNone: () => Effect.void, onSome: ({ reason }) => new DatabaseUnavailable({ message: reason }) })
)

/** Sets the database aside; `reason` is one line for the operator, with the way out. */
export const setAside = ({ kind, reason }: Mark) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(Effect.gen(function*() {
      yield* sql`drop table if exists ${sql(setAsideTable)}`
      yield* sql`create table ${
        sql(setAsideTable)
      } (kind text not null, reason text not null, at timestamptz not null default now())`
      yield* sql`insert into ${sql(setAsideTable)} (kind, reason) values (${kind}, ${reason})`
    })))

export const endSetAside = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`drop table if exists ${sql(setAsideTable)}`)
