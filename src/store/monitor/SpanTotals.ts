/** Reads the spans that contain given instants, with their running totals: what uptime is computed from. */
import type { SqlClient, Statement } from "@effect/sql"

/**
 * The spans that contain the borders of windows (ms since 1970) as JSON, or the first span for a border before it; null for a monitor
 * without spans. Two looks at the primary key for each border, however many spans there are.
 */
export const windowSpans = (
  sql: SqlClient.SqlClient,
  workspaceId: string,
  monitorId: Statement.Fragment,
  borders: ReadonlyArray<number>
): Statement.Fragment =>
  sql`(
    select json_agg(json_build_array(
      span.state, (extract(epoch from span.started_at) * 1000)::float8, (extract(epoch from span.ended_at) * 1000)::float8,
      span.good_ms, span.bad_ms
    ) order by border.number)
    from unnest(${[...borders]}::float8[]) with ordinality border (ms, number)
    cross join lateral (
      select * from monitor_spans
      where workspace_id = ${workspaceId} and monitor_id = ${monitorId} and started_at = coalesce(
        (select max(started_at) from monitor_spans
          where monitor_id = ${monitorId} and started_at <= to_timestamp(border.ms / 1000)),
        (select min(started_at) from monitor_spans where monitor_id = ${monitorId}))
    ) span
  )`
