/** The other channels with the same target for which an alert waits, and for which a channel remembers that a monitor flaps. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // What the version before writes has no heirs, as before.
  yield* sql`alter table grouped_alerts add shared_with text[] not null default '{}'`
  yield* sql`alter table quiet_alerts add shared_with text[] not null default '{}'`
  yield* sql`alter table alert_streaks add shared_with text[] not null default '{}'`
})
