/** The last backup of a database, and its last restore with what that lost. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { findOne, write } from "../postgres/Queries.ts"

/** How many messages of each kind were due in the time that a restore lost, and are not sent. */
const NotSent = Schema.Record({ key: Schema.String, value: Schema.Int })

const Restore = Schema.Struct({
  /** The time of the state that the database has. */
  restoredTo: Schema.DateTimeUtcFromDate,
  /** Everything between the two is lost. */
  restoredAt: Schema.DateTimeUtcFromDate,
  notSent: NotSent
})
export type Restore = typeof Restore.Type

/** The last restore of this database; none if it never was restored. */
export const lastRestore = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    findOne(
      Restore,
      () => sql`select restored_to as "restoredTo", restored_at as "restoredAt", not_sent as "notSent" from restores`
    )()
)

export const noteRestore = ({ notSent, restoredAt, restoredTo }: Restore) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    write(sql`
      insert into restores (restored_to, restored_at, not_sent)
      values (${DateTime.toDateUtc(restoredTo)}, ${DateTime.toDateUtc(restoredAt)}, ${JSON.stringify(notSent)}::jsonb)
      on conflict (only_row) do update
      set restored_to = excluded.restored_to, restored_at = excluded.restored_at, not_sent = excluded.not_sent`))

/** Notes a complete backup of this database, unless a newer one is known. */
export const noteBackup = (takenAt: DateTime.Utc) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    write(sql`
      insert into backups (taken_at, finished_at) values (${DateTime.toDateUtc(takenAt)}, now())
      on conflict (only_row) do update set taken_at = excluded.taken_at, finished_at = excluded.finished_at
      where backups.taken_at < excluded.taken_at`))
