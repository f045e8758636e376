/** Components whose status is pushed, and what every component was last seen to show. */
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

  // What the component's actor owns. A component without a row was never told of.
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
  // What pushes made it show and for how long; the spans of components that follow monitors are their monitors'.
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
