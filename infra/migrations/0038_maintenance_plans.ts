/** What follows from a maintenance window by itself: reminders before it begins, and the next window of a series. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // `first_start` is the start of the series' first window, from which the rule counts.
  yield* sql`
    create table maintenance_plans (
      incident_id text primary key references incidents on delete cascade,
      workspace_id text not null references workspaces on delete cascade,
      remind_minutes int[] not null default '{}',
      reminded_at timestamptz,
      rule text,
      timezone text,
      first_start timestamptz not null,
      message text not null
    )`
  yield* sql`create index on maintenance_plans (workspace_id)`
})
