/** The drafts of status pages, and the monitors of a workspace by name. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { OutsideTransaction } from "../../src/store/postgres/Migration.ts"

const statements = [
  // Written by editors: at most one for each page. `fields`: what differs from the page, in the form of an update.
  `create table if not exists page_drafts (
    page_id text primary key references pages on delete cascade,
    workspace_id text not null,
    fields jsonb not null,
    by text not null,
    at timestamptz not null
  )`,
  `drop index concurrently if exists monitors_by_name`,
  // Of src/store/monitor/MonitorPages.ts: lists by name or by state pass over no more monitors than they show.
  `create index concurrently monitors_by_name on monitors (workspace_id, lower(name), id)`
]

export default new OutsideTransaction(Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
))
