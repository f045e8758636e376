/** What is known of subscriptions, those that must end, and the indexes by which a whole workspace can go. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // Of two readings of a subscription the one that was begun later counts.
  yield* sql`create sequence subscription_readings`
  yield* sql`
    alter table workspaces
      add column subscription jsonb,
      add column subscription_reading bigint not null default 0`

  // Notices of the payment provider that were worked off; it repeats one until it hears that it was.
  yield* sql`
    create table billing_notices (
      id text primary key,
      received_at timestamptz not null
    )`
  // Subscriptions of workspaces that are gone, until the provider has ended them.
  yield* sql`
    create table subscription_ends (
      subscription_id text primary key,
      requested_at timestamptz not null
    )`

  yield* sql`create index on workspaces (expires_at) where claimed_at is null`
  // Without these each row that goes with its workspace would cost a look at a whole table.
  yield* sql`create index on deliveries (workspace_id)`
  yield* sql`create index on incidents (monitor_id)`
  yield* sql`create index on components (group_id)`
  yield* sql`create index on sessions (workspace_id)`
})
