/** The unclaimed workspaces in which nothing has happened, by age: those that never watched anything are deleted after a day. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { OutsideTransaction } from "../../src/store/postgres/Migration.ts"

const statements = [
  `drop index concurrently if exists unused_workspaces`,
  `create index concurrently unused_workspaces on workspaces (created_at)
   where claimed_at is null and expires_at is not null and last_event_id is null`
]

export default new OutsideTransaction(Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
))
