/** A table of records that people write: settings of theirs, an id, and when they were created and updated. */
import type { SqlClient } from "@effect/sql"
import { DateTime, Effect, type Schema } from "effect"
import type { WorkspaceId } from "../../schema/Ids.ts"
import { exists, findAll, findOne } from "./postgres/Queries.ts"

type Value = string | number | boolean | Date | null | ReadonlyArray<string>

/** The fields that the table adds to the settings. */
interface Kept<Id> {
  readonly id: Id
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

export interface SettingsTable<Id extends string, Settings extends object, I> {
  readonly table: string
  readonly row: Schema.Schema<Settings & Kept<Id>, I>
  readonly newId: Effect.Effect<Id>
  /** The columns as the fields of `row`, in SQL. */
  readonly columns: string
  /** The columns that the settings are stored in. JSON is given as text. */
  readonly values: (settings: Settings) => Readonly<Record<string, Value>>
  readonly orderBy: string
}

/** Writes run in the caller's transaction, if there is one. A cap bounds the number of rows of a workspace. */
export const settingsTable = <Id extends string, Settings extends object, I>(
  sql: SqlClient.SqlClient,
  { columns, newId, orderBy, row, table, values }: SettingsTable<Id, Settings, I>
) => {
  const [selected, ordered] = [sql.literal(columns), sql.literal(orderBy)]
  return {
    list: findAll(
      row,
      (workspaceId: WorkspaceId) =>
        sql`select ${selected} from ${sql(table)} where workspace_id = ${workspaceId} order by ${ordered}`
    ),
    find: findOne(
      row,
      (workspaceId: WorkspaceId, id: Id) =>
        sql`select ${selected} from ${sql(table)} where workspace_id = ${workspaceId} and id = ${id}`
    ),
    insert: Effect.fn("SettingsTable.insert")(function*(workspaceId: WorkspaceId, settings: Settings, now: DateTime.Utc) {
      const id = yield* newId
      const at = DateTime.toDateUtc(now)
      yield* sql`insert into ${sql(table)} ${
        sql.insert({ id, workspace_id: workspaceId, ...values(settings), created_at: at, updated_at: at })
      }`
      return { id, ...settings, createdAt: now, updatedAt: now }
    }, Effect.orDie),
    /** The record as it is now; none if it does not exist. */
    update: findOne(row, (workspaceId: WorkspaceId, id: Id, settings: Settings, now: DateTime.Utc) =>
      sql`
        update ${sql(table)} set ${sql.update({ ...values(settings), updated_at: DateTime.toDateUtc(now) })}
        where workspace_id = ${workspaceId} and id = ${id} returning ${selected}`),
    /** False if it does not exist. */
    remove: (workspaceId: WorkspaceId, id: Id): Effect.Effect<boolean> =>
      exists(sql`delete from ${sql(table)} where workspace_id = ${workspaceId} and id = ${id} returning 1`)
  }
}
