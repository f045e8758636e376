/** Leads from each workspace that has rows to the next one along an index, however many rows each has. */
import type { SqlClient, Statement } from "@effect/sql"

/**
 * A recursive table `turn (workspace_id)` with the workspaces behind `after` in order, of which the last is null: `with recursive
 * ${workspaceLeap(...)} select ... from turn where workspace_id is not null limit ...`. `table` has the alias `one`, and so has `isOpen`.
 */
export const workspaceLeap = (
  sql: SqlClient.SqlClient,
  table: "events" | "broadcasts",
  isOpen: Statement.Fragment,
  after: string
): Statement.Fragment => {
  const next = (behind: Statement.Fragment) =>
    sql`select one.workspace_id from ${
      sql.literal(table)
    } one where ${isOpen} and one.workspace_id > ${behind} order by one.workspace_id limit 1`
  return sql`
    turn (workspace_id) as (
      (${next(sql`${after}`)})
      union all
      select (${next(sql`turn.workspace_id`)}) from turn where turn.workspace_id is not null
    )`
}
