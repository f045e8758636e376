/** Reads the worst state of the monitors of a page in each of the last 24 hours, in one statement. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import type { HourState } from "../../../schema/monitor/Monitor.ts"
import { trendStart } from "../../domain/check/history/ResponseSeries.ts"

const hours = 24

/** Spans of one monitor that are looked at, the newest first: a monitor that changes more often leaves the hours before them empty. */
const mostSpans = 300

interface HourRow {
  readonly id: MonitorId
  readonly hour: number
  readonly state: HourState
}

export class StateTrends extends Effect.Service<StateTrends>()("belltower/StateTrends", {
  effect: Effect.map(SqlClient.SqlClient, (sql) => {
    /**
     * By monitor; each an entry for every hour. By the primary key of spans: the one at the start of the day, and those since. A span
     * that is open ends where checks stopped.
     */
    const read = Effect.fn("StateTrends.read")(
      function*(workspaceId: WorkspaceId, ids: ReadonlyArray<MonitorId>, now: number) {
        const start = trendStart(now)
        const [from, until] = [start, now].map((at) => new Date(at))
        const rows = yield* sql<HourRow>`
          select wanted.id, hour, (array['up', 'degraded', 'down'])[max(array_position(array['up', 'degraded', 'down'], span.state))] as state
          from (
            select m.id, case when m.kind = 'heartbeat' then ${until} else least(${until}, coalesce(
              to_timestamp((s.machine->>'lastRoundAt')::float8 / 1000) + make_interval(secs => 2 * m.interval_sec), ${until})) end as heard
            from monitors m join monitor_states s on s.monitor_id = m.id
            where m.workspace_id = ${workspaceId} and m.id = any(${ids}::text[])
          ) wanted
          cross join lateral (
            select state, started_at, coalesce(ended_at, wanted.heard) as ended_at from monitor_spans
            where workspace_id = ${workspaceId} and monitor_id = wanted.id and started_at >= coalesce(
              (select max(started_at) from monitor_spans where monitor_id = wanted.id and started_at <= ${from}), ${from})
            order by started_at desc limit ${mostSpans}
          ) span
          cross join lateral generate_series(
            greatest(0, floor(extract(epoch from span.started_at - ${from}) / 3600))::int,
            least(${hours - 1}, floor(extract(epoch from span.ended_at - ${from}) / 3600))::int
          ) hour
          where span.state in ('up', 'degraded', 'down')
          group by wanted.id, hour`
        const found = new Map(ids.map((id) => [id, Array.from({ length: hours }, (): HourState | null => null)]))
        for (const { hour, id, state } of rows) {
          const own = found.get(id)
          if (own !== undefined) own[hour] = state
        }
        return found
      },
      Effect.orDie
    )
    return { read }
  })
}) {}
