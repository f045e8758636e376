/** Reads the runs of jobs and what they printed. */
import { Effect } from "effect"
import type { RunId, WorkspaceId } from "../../../schema/Ids.ts"
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
        const data = yield* runs.page(workspaceId, monitor.id, { ...filter, limit: filter.limit + 1 })
        const page = data.slice(0, filter.limit)
        return { data: page, next: data.length > page.length ? page.at(-1)?.id ?? null : null }
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
