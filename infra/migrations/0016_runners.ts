/** Where the results of each partition continue, and the runner that reads it; when each monitor's next check is expected. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // Updated in place several times a second.
  yield* sql`
    create table result_offsets (
      topic text not null,
      partition int not null,
      reader text not null,
      next_offset bigint,
      primary key (topic, partition)
    ) with (fillfactor = 20)`
})
