/** The known subscriptions, those that must be canceled, and the indexes for deleting a whole workspace. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // Numbers the readings of subscriptions. Of two readings, the one started later wins.
  yield* sql`create sequence subscription_readings`
  yield* sql`
    alter table workspaces
      add column subscription jsonb,
      add column subscription_reading bigint not null default 0`

  // Processed webhook events of the payment provider, which repeats an event until it is acknowledged.
  yield* sql`
    create table billing_notices (
      id text primary key,
      received_at timestamptz not null
    )`
  // Subscriptions of deleted workspaces, until the provider has canceled them.
  yield* sql`
    create table subscription_ends (
      subscription_id text primary key,
      requested_at timestamptz not null
    )`

  yield* sql`create index on workspaces (expires_at) where claimed_at is null`
  // Without these, the cascade would scan a whole table for each deleted row.
  yield* sql`create index on deliveries (workspace_id)`
  yield* sql`create index on incidents (monitor_id)`
  yield* sql`create index on components (group_id)`
  yield* sql`create index on sessions (workspace_id)`
})
