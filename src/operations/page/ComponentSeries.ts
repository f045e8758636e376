/** The response times of components, from rollups of their monitors; read at most every 30 s for each component and range. */
import { Cache, Clock, Data, Duration, Effect, Exit } from "effect"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import type { ResponseTimeRange } from "../../../schema/page/ResponseTimes.ts"
import { measuredResponses, seriesStart } from "../../domain/check/history/ResponseSeries.ts"
import { CheckRollups } from "../../store/check/CheckRollups.ts"
import { Database } from "../../store/postgres/connections/Database.ts"

interface Measured {
  readonly workspaceId: WorkspaceId
  readonly monitorIds: ReadonlyArray<MonitorId>
}

class Wanted extends Data.Class<{
  readonly workspaceId: WorkspaceId
  readonly monitorIds: ReadonlyArray<MonitorId>
  readonly range: ResponseTimeRange
}> {}

const capacity = 2000

export class ComponentSeries extends Effect.Service<ComponentSeries>()("belltower/ComponentSeries", {
  effect: Effect.gen(function*() {
    const rollups = yield* CheckRollups
    const { reading } = yield* Database

    const read = Effect.fn("ComponentSeries.read")(function*({ monitorIds, range, workspaceId }: Wanted) {
      const now = yield* Clock.currentTimeMillis
      const from = seriesStart(range, now)
      const all = yield* Effect.forEach(
        monitorIds,
        (monitorId) =>
          range === "90d" ? rollups.days(workspaceId, monitorId, from) : rollups.halfHours(workspaceId, monitorId, from),
        { concurrency: 4 }
      )
      return measuredResponses(range, all, now)
    })

    const cache = yield* Cache.makeWith({
      capacity,
      lookup: (wanted: Wanted) => reading(read(wanted)),
      timeToLive: Exit.match({ onFailure: () => Duration.zero, onSuccess: () => Duration.seconds(30) })
    })

    return {
      /** The series of a component that follows these monitors. */
      of: ({ monitorIds, workspaceId }: Measured, range: ResponseTimeRange) =>
        cache.get(new Wanted({ workspaceId, monitorIds: Data.array([...monitorIds]), range }))
    }
  })
}) {}
