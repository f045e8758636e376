/** Passwords of private pages, the subscribers who knew one, and what broadcasts are about, so that flapping can be damped. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table pages add column password_hash text, add column password_set_at timestamptz`
  yield* sql`alter table subscribers add column knew_password boolean not null default false`
  // `thread` is the incident or component, `subject` what flaps: the monitor or component. Null for what people write.
  yield* sql`
    alter table broadcasts
      add column thread text, add column subject text, add column opens boolean not null default false`
  yield* sql`create index damped_broadcasts on broadcasts (page_id, created_at) where thread is not null`
})
