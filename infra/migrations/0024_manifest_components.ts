/** Components whose status comes from a key of a manifest monitor, and the reports that their actors have not taken yet. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table components add manifest_monitor_id text, add manifest_key text`
  yield* sql`
    create index components_of_manifest on components (manifest_monitor_id) where manifest_monitor_id is not null`

  // One row for each observation, whatever number of regions or redeliveries reports it. Only reports that can change the
  // component are stored, and its actor deletes them when it takes them.
  yield* sql`
    create table manifest_reports (
      component_id text not null references components on delete cascade,
      workspace_id text not null,
      observed_at float8 not null,
      status text,
      message text,
      primary key (component_id, observed_at)
    )`
})
