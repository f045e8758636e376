/** Images that workspaces upload. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  `create table images (
    id text primary key,
    workspace_id text not null references workspaces on delete cascade,
    type text not null,
    width int not null,
    height int not null,
    data bytea not null,
    made_by text not null,
    created_at timestamptz not null
  )`,
  `create index on images (workspace_id, id)`,
  // It is compressed already.
  `alter table images alter column data set storage external`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
