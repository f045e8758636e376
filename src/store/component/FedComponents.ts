/** The components whose status monitors decide, directly or by the manifests that they read. */
import type { SqlClient, Statement } from "@effect/sql"

/** `id` and `page_id` of the components. By two indexes, each its own way. */
export const fedComponents = (
  sql: SqlClient.SqlClient,
  workspaceId: string,
  monitorIds: ReadonlyArray<string>
): Statement.Fragment =>
  sql`
  select id, page_id from components where workspace_id = ${workspaceId} and monitor_ids && ${monitorIds}::text[]
  union
  select id, page_id from components where workspace_id = ${workspaceId} and manifest_monitor_id = any(${monitorIds}::text[])`
