/** Reads monitors with their uptime and their checks. */
import { Clock, DateTime, Effect } from "effect"
import type { Check, Outcome } from "../../../schema/check/Check.ts"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import type { Viewer } from "../../domain/access/WritingUrls.ts"
import { viewOf } from "../../domain/monitor/MaskedSettings.ts"
import type { RecordOf } from "../../domain/monitor/MonitorRecord.ts"
import { Checks } from "../../store/check/Checks.ts"
import { MonitorPages, type PageRequest } from "../../store/monitor/MonitorPages.ts"
import { Monitors } from "../../store/monitor/Monitors.ts"
import { makeMonitorRecords, spansFrom } from "./MonitorRecords.ts"
import { requireMonitor } from "./RequireMonitor.ts"

interface HistoryOptions {
  readonly outcome: Outcome | null
  readonly before: DateTime.Utc | null
  readonly limit: number
  readonly evidence: boolean
}

/** Part of a list, encoded as the interface shows it. */
export interface MonitorList {
  readonly data: ReadonlyArray<RecordOf<string>>
  readonly next: MonitorId | null
}

export class ReadMonitors extends Effect.Service<ReadMonitors>()("belltower/ReadMonitors", {
  effect: Effect.gen(function*() {
    const monitors = yield* Monitors
    const pages = yield* MonitorPages
    const checks = yield* Checks
    const records = yield* makeMonitorRecords

    /** A page of the workspace's monitors in order of id: the oldest first. */
    const list = Effect.fn("ReadMonitors.list")(function*(viewer: Viewer, request: PageRequest) {
      const now = yield* Clock.currentTimeMillis
      const page = yield* pages.read(viewer.workspaceId, request, DateTime.toDateUtc(spansFrom(now)))
      const data = yield* records.listed(viewOf(viewer), page.monitors, now)
      const found: MonitorList = { data, next: page.more ? data.at(-1)?.id ?? null : null }
      return found
    })

    /** The record as callers that may edit the monitor see it; fails with `not_found`. */
    const record = Effect.fn("ReadMonitors.record")(function*(workspaceId: WorkspaceId, id: string) {
      const row = yield* requireMonitor(monitors, workspaceId, id)
      return yield* records.full("writer", workspaceId, row, yield* Clock.currentTimeMillis)
    })

    /** The monitor's checks, newest first; fails with `not_found`. */
    const history = Effect.fn("ReadMonitors.history")(
      function*(workspaceId: WorkspaceId, id: string, options: HistoryOptions) {
        const monitor = yield* requireMonitor(monitors, workspaceId, id)
        return options.limit === 0 ? new Array<Check>() : yield* checks.list(workspaceId, monitor.id, options)
      }
    )

    /** The monitor with its `limit` newest checks and the statistics of the last 24 hours; fails with `not_found`. */
    const get = Effect.fn("ReadMonitors.get")(function*(viewer: Viewer, id: string, limit: number) {
      const { workspaceId } = viewer
      const row = yield* requireMonitor(monitors, workspaceId, id)
      const monitor = yield* records.full(viewOf(viewer), workspaceId, row, yield* Clock.currentTimeMillis)
      const newest = yield* history(workspaceId, monitor.id, { outcome: null, before: null, limit, evidence: false })
      const dayAgo = DateTime.subtract(yield* DateTime.now, { hours: 24 })
      return { ...monitor, checks: newest, stats: yield* checks.stats(workspaceId, monitor.id, dayAgo) }
    })

    return { list, record, get, history }
  })
}) {}
