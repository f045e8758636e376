/** The components in running maintenance windows, as part of a statement. */
import type { SqlClient, Statement } from "@effect/sql"

/** How long a window that no process has completed keeps alerts back after its end, seconds. */
const completionTime = 30

/**
 * A row for each component: `workspace_id`, `component_id`, `began`, and `until`, after which the window keeps nothing back.
 * `workspace` is a comparison of `i.workspace_id`, such as `= any(...)`.
 */
export const runningMaintenance = (sql: SqlClient.SqlClient, workspace: Statement.Fragment): Statement.Fragment =>
  sql`
    select i.workspace_id, affected->>'componentId' as component_id, min(i.started_at) as began,
      max(i.scheduled_end) + make_interval(secs => ${completionTime}) as until
    from incidents i cross join lateral jsonb_array_elements(i.components) affected
    where i.workspace_id ${workspace} and i.kind = 'maintenance' and i.status = 'in_progress'
      and coalesce(i.resolved_at, 'infinity') = 'infinity' and affected->>'status' <> 'operational'
      and i.scheduled_end + make_interval(secs => ${completionTime}) > now()
    group by i.workspace_id, affected->>'componentId'`
