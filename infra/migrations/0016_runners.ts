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
  // Null while no round is expected. Rows of before are late at first; the next check moves them.
  yield* sql`alter table monitor_states add column expected_at timestamptz`
  yield* sql`
    update monitor_states s set expected_at = now() from monitors m
    where m.id = s.monitor_id and not m.paused and m.kind <> 'heartbeat'`
  yield* sql`create index on monitor_states (expected_at)`
  // The monitors of a region that delivers nothing.
  yield* sql`create index on monitors using gin (regions)`
})
