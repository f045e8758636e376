/**
 * Maintenance windows of a workspace by their end, for uptime and for alerts, and the outages that began in one: their incident is not
 * shown where the window is.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create index maintenance_of_workspace on incidents (workspace_id, coalesce(resolved_at, 'infinity'))
    where kind = 'maintenance'`
  yield* sql`
    create table outages_in_maintenance (
      incident_id text primary key references incidents on delete cascade,
      workspace_id text not null,
      component_ids text[] not null,
      show_at timestamptz not null
    )`
})
