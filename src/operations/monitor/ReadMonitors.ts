/** Reads monitors with their uptime and their checks. */
import { Array as Arr, Clock, DateTime, Effect, Option } from "effect"
import type { Outcome } from "../../../schema/check/Check.ts"
import { instant } from "../../../schema/Fields.ts"
import { MonitorId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { MonitorState } from "../../../schema/monitor/Monitor.ts"
import type { Viewer } from "../../domain/access/WritingUrls.ts"
import { sinceCreation } from "../../domain/check/history/SinceCreation.ts"
import { type View, viewOf } from "../../domain/monitor/settings/MaskedSettings.ts"
import { Checks } from "../../store/check/Checks.ts"
import { LatencyTrends } from "../../store/check/LatencyTrends.ts"
import { MonitorFigures, type TagCount } from "../../store/monitor/MonitorFigures.ts"
import { type ListedMonitor, MonitorPages, type PageRequest } from "../../store/monitor/MonitorPages.ts"
import { Monitors } from "../../store/monitor/Monitors.ts"
import type { ShownMonitor } from "../../store/monitor/ShownMonitor.ts"
import { StateTrends } from "../../store/monitor/StateTrends.ts"
import { Database } from "../../store/postgres/connections/Database.ts"
import { both, nothing, run } from "../../store/postgres/Read.ts"
import { noSuch, requireMonitor } from "../NoSuch.ts"
import { makeMonitorRecords } from "./MonitorRecords.ts"

/** The rollups of more monitors would take longer to read than all else in a list. */
const mostTrends = 100

interface HistoryOptions {
  readonly outcome: Outcome | null
  readonly before: DateTime.Utc | null
  readonly since: DateTime.Utc | null
  readonly limit: number
  readonly evidence: boolean
}

interface ListOptions extends PageRequest {
  readonly trend: boolean
  readonly counts: boolean
  readonly tags: boolean
}

export interface MonitorList {
  /** The records as an array of JSON, in UTF-8. */
  readonly data: Uint8Array
  readonly counts?: Readonly<Record<MonitorState, number>>
  readonly tags?: ReadonlyArray<TagCount>
  readonly next: MonitorId | null
}

const [open, comma, close] = [Buffer.from("["), Buffer.from(","), Buffer.from("]")]

/** An array of JSON of the elements in `parts`: each has some, with commas between them. */
const arrayOf = (parts: ReadonlyArray<Uint8Array>): Uint8Array =>
  Buffer.concat([open, ...parts.flatMap((part, at) => at === 0 ? [part] : [comma, part]), close])

export class ReadMonitors extends Effect.Service<ReadMonitors>()("belltower/ReadMonitors", {
  effect: Effect.gen(function*() {
    const monitors = yield* Monitors
    const pages = yield* MonitorPages
    const figures = yield* MonitorFigures
    const checks = yield* Checks
    const trends = yield* LatencyTrends
    const states = yield* StateTrends
    const records = yield* makeMonitorRecords
    const { reading } = yield* Database

    /** `shown` are the records of the monitors with these ids. */
    const withTrends = (workspaceId: WorkspaceId, ids: ReadonlyArray<MonitorId>, shown: ReadonlyArray<string>, now: number) =>
      Effect.map(
        Effect.all([trends.read(workspaceId, ids, now), states.read(workspaceId, ids, now)]),
        ([latencies, hours]) =>
          Arr.zipWith(ids, shown, (id, record) => {
            const more = { trend: latencies.get(id) ?? [], states: hours.get(id) ?? [] }
            return `${record.slice(0, -1)},${JSON.stringify(more).slice(1)}`
          })
      )

    const write = Effect.fnUntraced(function*(
      workspaceId: WorkspaceId,
      view: View,
      monitors: ReadonlyArray<ListedMonitor>,
      trend: boolean,
      now: number
    ) {
      const shown = yield* records.listed(view, monitors, now)
      const ids = monitors.map(({ facts: { id } }) => id)
      return Buffer.from((trend ? yield* withTrends(workspaceId, ids, shown, now) : shown).join(","))
    })

    const list = Effect.fn("ReadMonitors.list")(function*(viewer: Viewer, { counts, tags, trend, ...request }: ListOptions) {
      const now = yield* Clock.currentTimeMillis
      const { workspaceId } = viewer
      const view = viewOf(viewer)
      const limit = trend ? Math.min(mostTrends, request.limit) : request.limit
      const shown = (monitors: ReadonlyArray<ListedMonitor>) => write(workspaceId, view, monitors, trend, now)
      const [{ next, written }, byState, byTag] = yield* Effect.all(
        [
          pages.read(workspaceId, view, { ...request, limit }, now, shown),
          counts ? figures.counts(workspaceId) : Effect.succeed(null),
          tags ? figures.tagCounts(workspaceId) : Effect.succeed(null)
        ],
        { concurrency: 2 }
      )
      return {
        data: arrayOf(written),
        ...(byState === null ? {} : { counts: byState }),
        ...(byTag === null ? {} : { tags: byTag }),
        next
      } satisfies MonitorList
    })

    /** The record at `now` (ms); fails with `not_found`. */
    const recordOf = (view: View, id: string, now: number) =>
      Option.match({
        onNone: () => Effect.fail(noSuch("monitor", id)),
        onSome: (row: ShownMonitor) => records.full(view, row, now)
      })

    /** The record as callers that may edit the monitor see it; fails with `not_found`. */
    const record = (workspaceId: WorkspaceId, id: string) =>
      Effect.flatMap(
        Clock.currentTimeMillis,
        (now) => Effect.flatMap(run(pages.readOne(workspaceId, id, now)), recordOf("writer", id, now))
      )

    const history = Effect.fn("ReadMonitors.history")(
      function*(workspaceId: WorkspaceId, id: string, options: HistoryOptions) {
        const monitor = yield* requireMonitor(monitors, workspaceId, id)
        const { checks: data, goesOn } = yield* checks.page(workspaceId, monitor.id, {
          ...options,
          since: options.since ?? sinceCreation(monitor)
        })
        return { data, next: goesOn ? data.at(-1)?.at ?? null : null }
      }
    )

    /** The monitor with its `limit` newest checks and the statistics of the last 24 hours; fails with `not_found`. */
    const get = Effect.fnUntraced(function*(viewer: Viewer, id: string, limit: number) {
      const { workspaceId } = viewer
      const now = yield* Clock.currentTimeMillis
      const monitorId = MonitorId.make(id)
      const dayAgo = DateTime.subtract(instant(now), { hours: 24 })
      const [[found, stats], newest] = yield* run(both(
        both(pages.readOne(workspaceId, id, now), checks.readStats(workspaceId, monitorId, dayAgo)),
        limit === 0 ? nothing(() => Effect.succeed([])) : checks.readNewest(workspaceId, monitorId, limit, now)
      ))
      const monitor = yield* recordOf(viewOf(viewer), id, now)(found)
      return { ...monitor, checks: yield* newest(sinceCreation(monitor)), stats }
    })

    return {
      /** A page of the workspace's monitors in the order of `sort`. */
      list: (viewer: Viewer, options: ListOptions) => reading(list(viewer, options)),
      record,
      created: records.created,
      get,
      /** A page of the monitor's checks, newest first, with the `before` of the next one; null at the end. Fails with `not_found`. */
      history: (workspaceId: WorkspaceId, id: string, options: HistoryOptions) => reading(history(workspaceId, id, options))
    }
  })
}) {}
