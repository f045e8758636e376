/** Reads monitors with their uptime and their checks. */
import { Clock, DateTime, Effect } from "effect"
import type { Check, Outcome } from "../../../schema/check/Check.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { MonitorState } from "../../../schema/monitor/Monitor.ts"
import { monitorFor, type Viewer } from "../../domain/access/WritingUrls.ts"
import { monitorRecord, observedSpans, uptimeWindows } from "../../domain/monitor/MonitorRecord.ts"
import { Links } from "../../links/Links.ts"
import { Checks } from "../../store/check/Checks.ts"
import { Heartbeats } from "../../store/monitor/Heartbeats.ts"
import { Monitors, type MonitorWithState } from "../../store/monitor/Monitors.ts"
import { Spans } from "../../store/monitor/Spans.ts"
import { noMonitor, requireMonitor } from "./RequireMonitor.ts"

/** The longest uptime window of a monitor record, in days. */
const uptimeDays = 30

interface HistoryOptions {
  readonly outcome: Outcome | null
  readonly before: DateTime.Utc | null
  readonly limit: number
  readonly evidence: boolean
}

/** Builds monitor records from rows, with decrypted secrets, uptime and links. */
const makeRecords = Effect.gen(function*() {
  const monitors = yield* Monitors
  const heartbeats = yield* Heartbeats
  const spans = yield* Spans
  const links = yield* Links

  const pingUrl = ({ tokenSealed }: MonitorWithState) =>
    tokenSealed === null ? Effect.succeed(null) : Effect.map(heartbeats.token(tokenSealed), links.ping)

  return Effect.fn("ReadMonitors.records")(function*(workspaceId: WorkspaceId, rows: ReadonlyArray<MonitorWithState>) {
    const now = yield* Clock.currentTimeMillis
    const from = DateTime.unsafeMake(now - uptimeDays * 86_400_000)
    const spansByMonitor = yield* Effect.orDie(spans.since(workspaceId, rows.map((monitor) => monitor.id), from))
    return yield* Effect.forEach(
      rows,
      (monitor) =>
        Effect.zipWith(monitors.secrets(monitor), pingUrl(monitor), (secrets, ping) =>
          monitorRecord(
            monitor,
            secrets,
            uptimeWindows(observedSpans(spansByMonitor.get(monitor.id) ?? [], monitor, monitor.lastRoundAt, now), now),
            { dashboard: links.monitor(monitor.id), ping }
          ))
    )
  })
})

export class ReadMonitors extends Effect.Service<ReadMonitors>()("belltower/ReadMonitors", {
  effect: Effect.gen(function*() {
    const monitors = yield* Monitors
    const checks = yield* Checks
    const records = yield* makeRecords

    const list = Effect.fn("ReadMonitors.list")(function*(viewer: Viewer, state: MonitorState | null, tag: string | null) {
      const found = yield* records(viewer.workspaceId, yield* monitors.list(viewer.workspaceId, state, tag))
      return found.map((monitor) => monitorFor(viewer, monitor))
    })

    /** The full record, for callers with write access; fails with `not_found`. */
    const record = Effect.fn("ReadMonitors.record")(function*(workspaceId: WorkspaceId, id: string) {
      const [monitor] = yield* records(workspaceId, [yield* requireMonitor(monitors, workspaceId, id)])
      return monitor === undefined ? yield* noMonitor(id) : monitor
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
      const monitor = monitorFor(viewer, yield* record(workspaceId, id))
      const newest = yield* history(workspaceId, monitor.id, { outcome: null, before: null, limit, evidence: false })
      const dayAgo = DateTime.subtract(yield* DateTime.now, { hours: 24 })
      return { ...monitor, checks: newest, stats: yield* checks.stats(workspaceId, monitor.id, dayAgo) }
    })

    return { list, record, get, history }
  })
}) {}
