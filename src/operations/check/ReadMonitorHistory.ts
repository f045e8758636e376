/** Reads the course of a monitor: its states from spans, its latencies from rollups. */
import { Cache, Clock, Data, Effect } from "effect"
import { instant } from "../../../schema/Fields.ts"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import type { ResponseTimeRange } from "../../../schema/page/ResponseTimes.ts"
import { historyStart, latencySeries, monitorHistory } from "../../domain/check/history/ResponseSeries.ts"
import { CheckRollups } from "../../store/check/CheckRollups.ts"
import { Monitors } from "../../store/monitor/Monitors.ts"
import { Spans } from "../../store/monitor/Spans.ts"
import { Database } from "../../store/postgres/connections/Database.ts"
import { requireMonitor } from "../NoSuch.ts"

class Wanted extends Data.Class<{
  readonly workspaceId: WorkspaceId
  readonly monitorId: MonitorId
  readonly range: ResponseTimeRange
  /** The end of the range, ms; null for now. */
  readonly until: number | null
}> {}

/** Series kept in memory, of some 100 kB at most. */
const capacity = 200

export class ReadMonitorHistory extends Effect.Service<ReadMonitorHistory>()("belltower/ReadMonitorHistory", {
  effect: Effect.gen(function*() {
    const monitors = yield* Monitors
    const rollups = yield* CheckRollups
    const spans = yield* Spans
    const { reading } = yield* Database

    const latencies = Effect.fn("ReadMonitorHistory.latencies")(function*({ monitorId, range, until, workspaceId }: Wanted) {
      const end = until ?? (yield* Clock.currentTimeMillis)
      const from = historyStart(range, end)
      const rollup = yield* (range === "90d" ? rollups.days : rollups.halfHours)(workspaceId, monitorId, from, end)
      return latencySeries(range, rollup, end)
    })

    /** A view that follows each check reads a month of rollups no more often than its newest bucket changes visibly. */
    const kept = yield* Cache.make({ capacity, lookup: (wanted: Wanted) => reading(latencies(wanted)), timeToLive: "30 seconds" })

    const read = Effect.fn("ReadMonitorHistory.read")(
      function*(workspaceId: WorkspaceId, id: string, range: ResponseTimeRange, asked: number | null) {
        const { id: monitorId } = yield* requireMonitor(monitors, workspaceId, id)
        const now = yield* Clock.currentTimeMillis
        const until = asked === null || asked >= now ? null : asked
        const end = until ?? now
        const own = yield* Effect.orDie(spans.since(workspaceId, [monitorId], instant(historyStart(range, end))))
        const wanted = new Wanted({ workspaceId, monitorId, range, until })
        const regions = yield* (range === "24h" && until === null ? latencies(wanted) : kept.get(wanted))
        return monitorHistory(range, { regions, spans: own.get(monitorId) ?? [] }, end)
      }
    )

    return {
      /**
       * Fails with `not_found`. The range ends at `until` (ms), or now. The states are those of now; the latencies of more than a day
       * are at most 30 s old.
       */
      read: (workspaceId: WorkspaceId, id: string, range: ResponseTimeRange, until: number | null = null) =>
        reading(read(workspaceId, id, range, until))
    }
  })
}) {}
