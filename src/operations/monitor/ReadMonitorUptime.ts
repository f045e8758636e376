/** Reads the uptime of a monitor by day, from running totals. */
import { Cache, Clock, Data, Effect } from "effect"
import { instant } from "../../../schema/Fields.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { MonitorUptime } from "../../../schema/monitor/MonitorUptime.ts"
import { dayStarts, uptimeDays } from "../../domain/monitor/UptimeDays.ts"
import { Monitors } from "../../store/monitor/Monitors.ts"
import { Spans } from "../../store/monitor/Spans.ts"
import { Database } from "../../store/postgres/connections/Database.ts"
import { requireMonitor } from "../NoSuch.ts"

class Wanted extends Data.Class<{
  readonly timezone: string
  readonly count: number
  /** The quarter of an hour that it is, ms since 1970: days begin with one everywhere. */
  readonly quarter: number
}> {}

const quarterMs = 900_000

/** Lists of days kept in memory, of some 20 kB at most: finding each midnight of a year takes tens of milliseconds. */
const capacity = 100

export class ReadMonitorUptime extends Effect.Service<ReadMonitorUptime>()("belltower/ReadMonitorUptime", {
  effect: Effect.gen(function*() {
    const monitors = yield* Monitors
    const spans = yield* Spans
    const { reading } = yield* Database

    const starts = yield* Cache.make({
      capacity,
      timeToLive: "1 hour",
      lookup: ({ count, quarter, timezone }: Wanted) => Effect.sync(() => dayStarts(instant(quarter), timezone, count))
    })

    const read = Effect.fn("ReadMonitorUptime.read")(
      function*(workspaceId: WorkspaceId, id: string, timezone: string, count: number) {
        const { id: monitorId } = yield* requireMonitor(monitors, workspaceId, id)
        const now = yield* Clock.currentTimeMillis
        const days = yield* starts.get(new Wanted({ timezone, count, quarter: Math.floor(now / quarterMs) * quarterMs }))
        const borders = [...days.map(({ at }) => at), now]
        const found = yield* Effect.orDie(spans.tallies(workspaceId, [monitorId], borders))
        const answer: MonitorUptime = { timezone, days: uptimeDays(days, found.get(monitorId) ?? [], now) }
        return answer
      }
    )

    return {
      /** Fails with `not_found`. The last of the `count` days is today in the zone. */
      read: (workspaceId: WorkspaceId, id: string, timezone: string, count: number) =>
        reading(read(workspaceId, id, timezone, count))
    }
  })
}) {}
