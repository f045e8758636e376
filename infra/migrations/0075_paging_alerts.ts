/** Which alerts are open at paging services, and which deliveries are about them. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // The default marks the rows of the version before, also those that it writes while both run: it names alerts after their monitor.
  yield* sql`alter table alerted_channels add column alert_key text default ''`
  yield* sql`alter table deliveries add column alert_key text, add column closes_alert boolean not null default false`
  yield* sql`create index deliveries_alert_idx on deliveries (channel_id, alert_key) where alert_key is not null`
})
