/** Subscriptions to single incidents look at their incident from time to time, so that each ends with it. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // By the index of these subscriptions. Not immediately: the version before, which may still run, removes such alarms. Nor all
  // together.
  yield* sql`
    insert into alarms (kind, id, workspace_id, due_at)
    select 'subscriber', id, workspace_id, now() + interval '1 hour' + random() * interval '11 hours'
    from subscribers where incident_id is not null and status = 'active'
    on conflict (kind, id) do nothing`
})
