/** The scope of maintenance windows: components, and the monitors behind them whose alerts wait. As parts of statements. */
import type { SqlClient, Statement } from "@effect/sql"

/**
 * The components of the incident or window `i`, as rows `component_id`, `status` and `by_person`: those that it lists, and of a window
 * that covers whole pages all others of these.
 */
export const coveredComponents = `(
    select listed->>'componentId' as component_id, listed->>'status' as status, (listed->>'byPerson')::boolean as by_person
    from jsonb_array_elements(i.components) listed
    union all
    select one.id, 'maintenance', true from components one
    where i.whole_page_ids <> '{}' and one.workspace_id = i.workspace_id and one.page_id = any(i.whole_page_ids)
      and not i.components @> jsonb_build_array(jsonb_build_object('componentId', one.id)))`

/** How long a window that no process has completed keeps alerts back after its end, seconds. */
const completionTime = 30

/** The windows `i` that are running, if `workspace` is a comparison of `i.workspace_id`, such as `= any(...)`. */
export const areRunning = (sql: SqlClient.SqlClient, workspace: Statement.Fragment): Statement.Fragment =>
  sql`i.workspace_id ${workspace} and i.kind = 'maintenance' and i.status = 'in_progress'
    and coalesce(i.resolved_at, 'infinity') = 'infinity'
    and i.scheduled_end + make_interval(secs => ${completionTime}) > now()`

/** The windows `i` that were completed within an hour: results of checks that were made in them may still arrive. */
export const haveJustEnded = (sql: SqlClient.SqlClient, workspace: Statement.Fragment): Statement.Fragment =>
  sql`i.workspace_id ${workspace} and i.kind = 'maintenance' and i.status = 'completed' and i.resolved_at is not null
    and coalesce(i.resolved_at, 'infinity') > now() - interval '1 hour'`

/**
 * A row for each component in a window: `workspace_id`, `component_id`, `began`, `until`, after which the window keeps nothing back, and
 * `ended`, null while one is running. `windows` is a condition on `i`.
 */
export const componentsInMaintenance = (sql: SqlClient.SqlClient, windows: Statement.Fragment): Statement.Fragment =>
  sql`
    select i.workspace_id, affected.component_id, min(i.started_at) as began,
      max(i.scheduled_end) + make_interval(secs => ${completionTime}) as until, max(i.resolved_at) as ended
    from incidents i cross join lateral ${sql.literal(coveredComponents)} affected
    where ${windows} and affected.status <> 'operational'
    group by i.workspace_id, affected.component_id`

/**
 * The monitors that windows mute: a row `workspace_id`, `incident_id`, `monitor_id`, `began`, `until`, `ended` for each component that follows
 * one. A window of a whole page also mutes the monitors whose manifests its components read. `windows` is a condition on `i`, `statuses`
 * one on the components, by default that they were not handed back.
 */
export const monitorsInMaintenance = (
  sql: SqlClient.SqlClient,
  windows: Statement.Fragment,
  statuses: Statement.Fragment = sql`affected.status <> 'operational'`
): Statement.Fragment =>
  sql`
    select i.workspace_id, i.id as incident_id, monitor.id as monitor_id, i.started_at as began,
      i.scheduled_end + make_interval(secs => ${completionTime}) as until, i.resolved_at as ended
    from incidents i cross join lateral ${sql.literal(coveredComponents)} affected
    join components c on c.workspace_id = i.workspace_id and c.id = affected.component_id
    cross join lateral unnest(c.monitor_ids || case when c.page_id = any(i.whole_page_ids) then c.manifest_monitor_id end) monitor (id)
    where ${windows} and ${statuses}`
