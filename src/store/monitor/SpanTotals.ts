/** Reads the spans that contain given instants, with their running totals: what uptime is computed from. */
import type { SqlClient, Statement } from "@effect/sql"
import { coveredComponents } from "../incident/MaintenanceScope.ts"

/** The span of a monitor that contains an instant, or its first span; two looks at the primary key, however many spans there are. */
const spanAt = (sql: SqlClient.SqlClient, workspaceId: string, monitorId: Statement.Fragment, at: Statement.Fragment) =>
  sql`
    select * from monitor_spans
    where workspace_id = ${workspaceId} and monitor_id = ${monitorId} and started_at = coalesce(
      (select max(started_at) from monitor_spans where monitor_id = ${monitorId} and started_at <= ${at}),
      (select min(started_at) from monitor_spans where monitor_id = ${monitorId}))`

/** A span as `TotalledSpan`. */
const totalled = (sql: SqlClient.SqlClient, name: string) =>
  sql.literal(`json_build_array(
    ${name}.state, (extract(epoch from ${name}.started_at) * 1000)::float8, (extract(epoch from ${name}.ended_at) * 1000)::float8,
    ${name}.good_ms, ${name}.bad_ms)`)

/**
 * The spans that contain the borders of windows (ms since 1970) as JSON, or the first span for a border before it; null for a monitor
 * without spans.
 */
export const windowSpans = (
  sql: SqlClient.SqlClient,
  workspaceId: string,
  monitorId: Statement.Fragment,
  borders: ReadonlyArray<number>
): Statement.Fragment =>
  sql`(
    select json_agg(${totalled(sql, "span")} order by border.number)
    from unnest(${borders}::float8[]) with ordinality border (ms, number)
    cross join lateral (${spanAt(sql, workspaceId, monitorId, sql`to_timestamp(border.ms / 1000)`)}) span
  )`

/**
 * When monitors were in maintenance: a row (`monitor_id`, `times`) for each that a component follows whose window was running between
 * two borders (ms since 1970). `times` is a multirange, so overlapping windows are one. `monitorIds` selects ids. Reads nothing but the
 * index on windows in a workspace that has none.
 */
export const maintenanceTimes = (
  sql: SqlClient.SqlClient,
  workspaceId: string,
  monitorIds: Statement.Fragment,
  borders: ReadonlyArray<number>
): Statement.Fragment =>
  sql`
    with running as materialized (
      select affected.component_id, i.started_at as began,
        least(i.resolved_at, to_timestamp(${Math.max(...borders)}::float8 / 1000)) as ended
      from incidents i cross join lateral ${sql.literal(coveredComponents)} affected
      where i.workspace_id = ${workspaceId} and i.kind = 'maintenance' and i.status in ('in_progress', 'completed')
        and coalesce(i.resolved_at, 'infinity') > to_timestamp(${Math.min(...borders)}::float8 / 1000)
        and affected.status <> 'operational'
    )
    select followed.monitor_id, range_agg(tstzrange(running.began, running.ended)) as times
    from (
      select c.id as component_id, monitor.id as monitor_id
      from components c cross join lateral unnest(c.monitor_ids) monitor (id)
      where exists (select from running) and c.workspace_id = ${workspaceId} and c.monitor_ids && array(${monitorIds})
        and monitor.id in (${monitorIds})
    ) followed
    join running on running.component_id = followed.component_id
    where running.began < running.ended
    group by followed.monitor_id`

/** The times of a multirange with the spans that contain their starts and ends, as JSON; null for none, or without spans. */
export const maintenanceSpans = (
  sql: SqlClient.SqlClient,
  workspaceId: string,
  monitorId: Statement.Fragment,
  times: Statement.Fragment
): Statement.Fragment =>
  sql`(
    select json_agg(json_build_array(
      (extract(epoch from lower(time)) * 1000)::float8, (extract(epoch from upper(time)) * 1000)::float8,
      ${totalled(sql, "first")}, ${totalled(sql, "last")}))
    from unnest(${times}) time
    cross join lateral (${spanAt(sql, workspaceId, monitorId, sql`lower(time)`)}) first
    cross join lateral (${spanAt(sql, workspaceId, monitorId, sql`upper(time)`)}) last
  )`
