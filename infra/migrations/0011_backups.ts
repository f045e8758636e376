/** When the database was last backed up, and from what it was last restored. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // Written by the command of the operator: the newest backup, one row. The database that was read may be another one by now: a restored
  // one names the backup that it came from.
  `create table backups (
    only_row boolean primary key default true check (only_row),
    taken_at timestamptz not null,
    finished_at timestamptz not null
  )`,
  // Written by a restore, one row: what happened from `restored_to` to `restored_at` is lost. `not_sent`: how many messages of each
  // kind were due in between, and are not sent.
  `create table restores (
    only_row boolean primary key default true check (only_row),
    restored_to timestamptz not null,
    restored_at timestamptz not null,
    not_sent jsonb not null
  )`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
