/** What a channel was told of outages while a monitor flaps. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // The previous version writes neither: an outage that it told while the monitor flapped may be told once more.
  yield* sql`
    alter table alert_streaks
      add down_at timestamptz,
      add outage boolean not null default false`
})
