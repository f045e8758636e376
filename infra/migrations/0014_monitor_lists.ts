/**
 * What lists show of a monitor's sealed request, the deletions that probes and actors have not heard of, and the evidence of
 * checks: what a check without evidence refers to, and how much a workspace has stored in a day.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // Valid while outlined_revision equals revision: a process of the version before changes a request without its outline.
  yield* sql`
    alter table monitors
      add column header_names text[],
      add column has_body boolean,
      add column outlined_revision int`

  // Deletions have a queue of their own, so that edits never wait behind them.
  yield* sql`alter table assignment_outbox add column gone boolean not null default false`
  yield* sql`create index on assignment_outbox (gone, sequence)`

  yield* sql`alter table checks add column evidence_omitted text`
  // Bytes of evidence by UTC day. No foreign key: the checks of a deleted workspace may still be on their way.
  yield* sql`
    create table evidence_usage (
      workspace_id text not null,
      day date not null,
      bytes bigint not null,
      primary key (workspace_id, day)
    )`
  yield* sql`create index on evidence_usage (day)`
})
