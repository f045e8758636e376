/** Reads the runs of jobs and what they printed. */
import { Effect } from "effect"
import type { RunId, WorkspaceId } from "../../../schema/Ids.ts"
import { listPage } from "../../domain/tools/ListPage.ts"
import { JobRuns, type RunFilter } from "../../store/monitor/JobRuns.ts"
import { Monitors } from "../../store/monitor/Monitors.ts"
import { orNoSuch, requireMonitor } from "../NoSuch.ts"

export class ReadRuns extends Effect.Service<ReadRuns>()("belltower/ReadRuns", {
  effect: Effect.gen(function*() {
    const monitors = yield* Monitors
    const runs = yield* JobRuns

    return {
      /** Fails with `not_found` for an unknown monitor. */
      list: Effect.fn("ReadRuns.list")(function*(workspaceId: WorkspaceId, monitorId: string, filter: RunFilter) {
        const monitor = yield* requireMonitor(monitors, workspaceId, monitorId)
        return listPage(yield* runs.page(workspaceId, monitor.id, { ...filter, limit: filter.limit + 1 }), filter.limit)
      }),
      /** Fails with `not_found`, also for a run whose monitor is gone. */
      get: Effect.fn("ReadRuns.get")(function*(workspaceId: WorkspaceId, id: RunId) {
        const run = yield* orNoSuch("run", id, runs.find(workspaceId, id))
        yield* orNoSuch("run", id, monitors.find(workspaceId, run.monitorId))
        return { ...run, logs: yield* runs.logs(workspaceId, run.monitorId, id) }
      })
    }
  })
}) {}
