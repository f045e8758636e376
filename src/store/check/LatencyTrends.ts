/** Reads the latencies of the last 24 hours of the monitors of a page, in one statement. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { dayMs, decodeLatencies, type LatencySum, startOf } from "../../domain/check/history/CheckRollup.ts"
import { latencyTrend, trendStart } from "../../domain/check/history/ResponseSeries.ts"

interface TrendRow {
  readonly id: MonitorId
  readonly fresh: ReadonlyArray<LatencySum> | null
  readonly kept: ReadonlyArray<{ readonly day: number; readonly data: string }> | null
}

/** Monitors whose rollups are decoded in one turn of the event loop: a few milliseconds. */
const slice = 20

const trendOf = ({ fresh, kept }: TrendRow, now: number): ReadonlyArray<number | null> =>
  latencyTrend([
    ...(kept ?? []).flatMap(({ data, day }) => decodeLatencies(Buffer.from(data, "base64"), day)),
    ...(fresh ?? [])
  ], now)

export class LatencyTrends extends Effect.Service<LatencyTrends>()("belltower/LatencyTrends", {
  effect: Effect.map(SqlClient.SqlClient, (sql) => {
    /**
     * By monitor. For each, two looks at the primary key of rollups, and the checks that no block holds yet by the index on
     * (monitor_id, at). One statement, so that a check that becomes part of a block meanwhile counts once.
     */
    const read = Effect.fn("LatencyTrends.read")(
      function*(workspaceId: WorkspaceId, ids: ReadonlyArray<MonitorId>, now: number) {
        const start = trendStart(now)
        const [from, day] = [start, startOf(start, dayMs)].map((at) => new Date(at))
        const rows = yield* sql<TrendRow>`
          select wanted.id, (
            select json_agg(hourly) from (
              select floor(extract(epoch from at) / 3600)::float8 * 3600000 as at, sum(latency_ms)::float8 as "sumMs",
                count(*)::int as count
              from checks where monitor_id = wanted.id and workspace_id = ${workspaceId} and at >= ${from} and counted
                and outcome <> 'down' and latency_ms is not null
              group by 1
            ) hourly
          ) as fresh, (
            select json_agg(json_build_object('day', (extract(epoch from day) * 1000)::float8, 'data', encode(data, 'base64')))
            from check_rollups where monitor_id = wanted.id and workspace_id = ${workspaceId} and day >= ${day}
          ) as kept
          from unnest(${ids}::text[]) wanted (id)`
        const trends = new Map<MonitorId, ReadonlyArray<number | null>>()
        for (const [index, row] of rows.entries()) {
          if (index > 0 && index % slice === 0) yield* Effect.yieldNow()
          trends.set(row.id, trendOf(row, now))
        }
        return trends
      },
      Effect.orDie
    )
    return { read }
  })
}) {}
