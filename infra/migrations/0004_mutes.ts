/** Mutes: times in which alerts of monitors wait. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // Written by people and agents: at most as many running ones as the cap of mutes, and the newest 1,000 of a workspace. `ended_at`
  // is null while it runs. `everything`: of all monitors of the workspace.
  `create table mutes (
    id text primary key,
    workspace_id text not null references workspaces on delete cascade,
    monitor_ids text[] not null,
    tags text[] not null,
    everything boolean not null,
    reason text,
    made_by text not null,
    created_at timestamptz not null,
    until timestamptz not null,
    ended_at timestamptz
  )`,
  `create index on mutes (workspace_id, id)`,
  // Asked for each alert, so it holds nothing else.
  `create index running_mutes on mutes (workspace_id) where ended_at is null`,
  `create index ends_of_mutes on mutes (until) where ended_at is null`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
