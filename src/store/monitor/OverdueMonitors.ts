/** The monitors and regions without recent results. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { RegionId } from "../../../schema/check/Region.ts"
import { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { slack } from "../../domain/monitor/ExpectedRound.ts"
import { unprobedKinds } from "../../domain/monitor/kinds.ts"
import type { Watched } from "../../domain/monitor/OverdueWatch.ts"

/** The most monitors read at a time. Above this, the exact number does not matter. */
const maxMonitors = 5_000

const Quiet = {
  intervalSec: Schema.Int,
  timeoutMs: Schema.Int,
  heardAt: Schema.NullOr(Schema.Number),
  changedAt: Schema.Number
}
const QuietMonitor = Schema.Struct({
  ...Quiet,
  id: MonitorId,
  workspaceId: WorkspaceId,
  regions: Schema.Array(RegionId)
})
const RegionAtWork = Schema.Struct({ ...Quiet, id: RegionId, monitors: Schema.Int })

export type QuietMonitor = Watched<MonitorId> & { readonly workspaceId: WorkspaceId }
export type RegionAtWork = Watched<RegionId> & { readonly monitors: number }

export class OverdueMonitors extends Effect.Service<OverdueMonitors>()("belltower/OverdueMonitors", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    // Two intervals are shorter than any allowance. The caller decides which of these monitors are overdue.
    const monitors = SqlSchema.findAll({
      Request: Schema.Number,
      Result: QuietMonitor,
      execute: (now) =>
        sql`
        select m.id, m.workspace_id as "workspaceId", m.regions, m.interval_sec as "intervalSec", m.timeout_ms as "timeoutMs",
          heard.at as "heardAt", edited.at as "changedAt"
        from monitors m join monitor_states s on s.monitor_id = m.id
        cross join lateral (select (s.machine->>'lastRoundAt')::float8 as at) heard
        cross join lateral (select extract(epoch from m.updated_at)::float8 * 1000 as at) edited
        where s.expected_at <= to_timestamp(${now}::float8 / 1000)
          and not m.paused and m.kind <> all(${unprobedKinds}::text[])
          and coalesce(heard.at, 0) not between ${now}::float8 - m.interval_sec * 2000 and ${now}::float8
          and edited.at < ${now}::float8 - m.interval_sec * 2000
        order by s.expected_at limit ${maxMonitors}`
    })

    // Regions that delivered within the shortest allowance are left out before their monitors are counted.
    const regions = SqlSchema.findAll({
      Request: Schema.Number,
      Result: RegionAtWork,
      execute: (now) =>
        sql`
        select r.id, count(*)::int as monitors, min(m.interval_sec) as "intervalSec", max(m.timeout_ms) as "timeoutMs",
          extract(epoch from r.last_result_at)::float8 * 1000 as "heardAt",
          extract(epoch from min(m.updated_at))::float8 * 1000 as "changedAt"
        from regions r join monitors m on m.regions @> array[r.id]
        where coalesce(extract(epoch from r.last_result_at)::float8 * 1000, 0) not between ${now}::float8 - ${slack} and ${now}::float8
          and not m.paused and m.kind <> all(${unprobedKinds}::text[])
        group by r.id`
    })

    return {
      /** Probed monitors whose last result is over two intervals old or in the future. Usually few; all after an outage. */
      monitors: (now: DateTime.Utc): Effect.Effect<ReadonlyArray<QuietMonitor>> =>
        Effect.orDie(
          Effect.map(monitors(DateTime.toEpochMillis(now)), (rows) =>
            rows.map(({ intervalSec, timeoutMs, ...rest }) => ({ ...rest, pacing: { intervalSec, timeoutMs } })))
        ),
      /** The regions that have monitors to check but delivered nothing for a minute, and the time of the last result of each. */
      regions: (now: DateTime.Utc): Effect.Effect<ReadonlyArray<RegionAtWork>> =>
        Effect.orDie(
          Effect.map(regions(DateTime.toEpochMillis(now)), (rows) =>
            rows.map(({ intervalSec, timeoutMs, ...rest }) => ({
              ...rest,
              regions: [rest.id],
              pacing: { intervalSec, timeoutMs }
            })))
        )
    }
  })
}) {}
