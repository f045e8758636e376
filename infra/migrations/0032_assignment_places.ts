/** The number of partitions by which the assignments were last published, so that more partitions leave no old copy behind. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table assignment_places (
    only_row boolean primary key default true check (only_row),
    partitions int not null
  )`
})
