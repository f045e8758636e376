/** Components whose status is pushed, and the last recorded status of every component. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    alter table components
      add push boolean not null default false,
      add push_ttl_sec int,
      add confirmations int not null default 2,
      add push_token_hash bytea unique,
      add push_token_sealed text`

  // State owned by the component's actor. A component without a row has not been announced yet.
  yield* sql`
    create table component_states (
      component_id text primary key references components on delete cascade,
      workspace_id text not null,
      version int not null,
      status text not null,
      status_message text,
      push jsonb,
      incident_id text,
      changed_at timestamptz not null
    ) with (fillfactor = 60)`
  // The statuses that pushes set, with their durations. Components that follow monitors use their monitors' spans.
  yield* sql`
    create table component_spans (
      component_id text not null references components on delete cascade,
      workspace_id text not null,
      started_at timestamptz not null,
      ended_at timestamptz,
      state text not null,
      primary key (component_id, started_at)
    )`
})
