/** The drafts of status pages. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // Written by editors: at most one for each page. `fields`: what differs from the page, in the form of an update.
  `create table page_drafts (
    page_id text primary key references pages on delete cascade,
    workspace_id text not null,
    fields jsonb not null,
    by text not null,
    at timestamptz not null
  )`
]

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
