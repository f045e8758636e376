/** What the source calls the items of an import: their refs mean nothing to people. Items of earlier imports have none. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table import_items add column name text`
})
