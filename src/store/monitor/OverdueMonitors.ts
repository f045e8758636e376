/** The monitors and regions of which nothing was heard for a while. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { RegionId } from "../../../schema/check/Region.ts"
import { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { unprobedKinds } from "../../domain/monitor/kinds.ts"
import type { Watched } from "../../domain/monitor/OverdueWatch.ts"

/** More are not looked at in one go: by then the exact number is of no interest. */
const most = 5_000

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

    // Two intervals are less than anyone is given: who of them is overdue is decided by who asks.
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
        where not m.paused and m.kind <> all(${unprobedKinds}::text[])
          and coalesce(heard.at, 0) not between ${now}::float8 - m.interval_sec * 2000 and ${now}::float8
          and edited.at < ${now}::float8 - m.interval_sec * 2000
        limit ${most}`
    })

    const regions = SqlSchema.findAll({
      Request: Schema.Void,
      Result: RegionAtWork,
      execute: () =>
        sql`
        select r.id, count(*)::int as monitors, min(m.interval_sec) as "intervalSec", max(m.timeout_ms) as "timeoutMs",
          extract(epoch from r.last_result_at)::float8 * 1000 as "heardAt",
          extract(epoch from min(m.updated_at))::float8 * 1000 as "changedAt"
        from monitors m join regions r on r.id = any(m.regions)
        where not m.paused and m.kind <> all(${unprobedKinds}::text[])
        group by r.id`
    })

    return {
      /** Probed monitors not heard of for two intervals, or heard of in the future: a few, or all after an outage. */
      monitors: (now: DateTime.Utc): Effect.Effect<ReadonlyArray<QuietMonitor>> =>
        Effect.orDie(
          Effect.map(monitors(DateTime.toEpochMillis(now)), (rows) =>
            rows.map(({ intervalSec, timeoutMs, ...rest }) => ({ ...rest, pacing: { intervalSec, timeoutMs } })))
        ),
      /** The regions that have monitors to check, and when the last result of each was heard. */
      regions: Effect.orDie(
        Effect.map(regions(), (rows): ReadonlyArray<RegionAtWork> =>
          rows.map(({ intervalSec, timeoutMs, ...rest }) => ({
            ...rest,
            regions: [rest.id],
            pacing: { intervalSec, timeoutMs }
          })))
      )
    }
  })
}) {}
