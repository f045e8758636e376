/** Reads the regions that checks run from, with the health of each, and what each saw: of the workspace, and of one monitor. */
import { Clock, Effect } from "effect"
import type { Check, CheckSummary } from "../../../schema/check/Check.ts"
import type { RegionId } from "../../../schema/check/Region.ts"
import type { RegionRecord } from "../../../schema/check/RegionViews.ts"
import { instant } from "../../../schema/Fields.ts"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { halfHour } from "../../domain/check/history/CheckRollup.ts"
import { lastReports, regionReport } from "../../domain/check/round/RegionReport.ts"
import { regionResults } from "../../domain/check/round/RegionResults.ts"
import { RegionHealth } from "../../services/check/RegionHealth.ts"
import { CheckRollups } from "../../store/check/CheckRollups.ts"
import { Checks } from "../../store/check/Checks.ts"
import { RegionChecks } from "../../store/check/RegionChecks.ts"
import { Monitors } from "../../store/monitor/Monitors.ts"
import { requireMonitor } from "../NoSuch.ts"
import { DefaultRegion } from "./DefaultRegion.ts"

/** Checks that are looked through for the last one of each region. */
const lookThrough = 200

const summaryOf = (
  { at, cause, error, hasEvidence, id, latencyMs, outcome, region, statusCode }: Check
): CheckSummary => ({ id, at, outcome, statusCode, latencyMs, error, cause, region, hasEvidence })

export class ReadRegions extends Effect.Service<ReadRegions>()("belltower/ReadRegions", {
  effect: Effect.gen(function*() {
    const monitors = yield* Monitors
    const checks = yield* Checks
    const rollups = yield* CheckRollups
    const health = yield* RegionHealth
    const regionChecks = yield* RegionChecks
    const defaultRegion = yield* DefaultRegion

    /** With what the workspace's monitors last saw there, if wanted: looking for it costs more than all else. */
    const list = Effect.fn("ReadRegions.list")(function*(workspaceId: WorkspaceId, results: boolean) {
      const all = yield* health.all
      const newest = results ? yield* regionChecks.newest(workspaceId, all.map(({ id }) => id)) : new Map<RegionId, []>()
      return all.map((region): RegionRecord => ({
        ...region,
        isDefault: region.id === defaultRegion,
        ...regionResults(newest.get(region.id) ?? [])
      }))
    })

    const page = (workspaceId: WorkspaceId, id: MonitorId, before: number | null) =>
      checks.list(workspaceId, id, {
        outcome: null,
        limit: lookThrough,
        before: before === null ? null : instant(before)
      })

    /** The last check of each region; that of a region without recent checks is at the end of its last half hour. */
    const lastChecks = Effect.fnUntraced(
      function*(workspaceId: WorkspaceId, id: MonitorId, reported: ReadonlyMap<RegionId, number>) {
        const last = new Map<RegionId, CheckSummary>()
        const note = (found: ReadonlyArray<Check>) => {
          for (const check of found) if (!last.has(check.region)) last.set(check.region, summaryOf(check))
        }
        note(yield* page(workspaceId, id, null))
        for (const [region, at] of reported) if (!last.has(region)) note(yield* page(workspaceId, id, at + halfHour))
        return last
      }
    )

    /** The figures of a monitor in each region, from rollups, and its newest check there. Fails with `not_found`. */
    const ofMonitor = Effect.fn("ReadRegions.ofMonitor")(function*(workspaceId: WorkspaceId, id: string, hours: number) {
      const monitor = yield* requireMonitor(monitors, workspaceId, id)
      const now = yield* Clock.currentTimeMillis
      const rollup = yield* rollups.halfHours(workspaceId, monitor.id, now - hours * 3_600_000)
      return regionReport({
        rules: monitor,
        expected: !monitor.paused && monitor.kind !== "heartbeat",
        rollup,
        lastChecks: yield* lastChecks(workspaceId, monitor.id, lastReports(rollup)),
        known: yield* health.all
      }, now)
    })

    return { list, ofMonitor }
  })
}) {}
