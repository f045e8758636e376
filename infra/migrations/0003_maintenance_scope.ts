/**
 * The scope of a maintenance window, and whether subscribers are notified of it. The release before schedules windows that cover what
 * they list, and of which subscribers are notified.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.zipRight(
    // `whole_page_ids`: it covers all components of these pages, except those that it lists. `notify`: of its start, changes and end.
    sql`
      alter table incidents
        add column whole_page_ids text[] not null default '{}',
        add column notify boolean not null default true`,
    // By the index of maintenance windows. One that lists no component covered nothing.
    sql`
      update incidents set whole_page_ids = page_ids
      where kind = 'maintenance' and coalesce(resolved_at, 'infinity') = 'infinity' and components = '[]' and page_ids <> '{}'`
  ))
