/** What lets workspaces take turns: new events and broadcasts by workspace, workspaces that are fanned out alone, and events set aside. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // Leads from each workspace that has new events to the next one, however many events each has.
  yield* sql`create index new_events_of_workspace on events (workspace_id, id) where not fanned_out`
  yield* sql`
    create table fan_out_alone (
      workspace_id text primary key references workspaces on delete cascade,
      most int not null,
      failures int not null default 0,
      retry_at timestamptz not null
    )`
  yield* sql`create index on fan_out_alone (retry_at)`
  yield* sql`
    create table events_set_aside (
      workspace_id text not null,
      event_id text not null,
      reason text not null,
      set_aside_at timestamptz not null default now(),
      primary key (workspace_id, event_id),
      foreign key (workspace_id, event_id) references events on delete cascade
    )`
  yield* sql`create index unprepared_broadcasts_of_workspace on broadcasts (workspace_id, created_at) where contents is null`
  yield* sql`
    create index open_broadcasts_of_workspace on broadcasts (workspace_id, ready_at)
    where contents is not null and ready_at < 'infinity'`
})
