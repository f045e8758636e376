/** Publishes the assignments of monitors again that are no longer checked although a region of theirs is healthy. */
import { Clock, DateTime, Duration, Effect } from "effect"
import { type Judgement, makeOverdueWatch, makeRation, makeSweep } from "../../src/domain/monitor/OverdueWatch.ts"
import { counted } from "../../src/domain/tools/text/Counted.ts"
import { RegionHealth } from "../../src/services/check/RegionHealth.ts"
import { makeNotice, regionsOf } from "../../src/services/monitor/MonitoringNotices.ts"
import { Assignments } from "../../src/store/monitor/Assignments.ts"
import { OverdueMonitors, type SilentMonitor, type SweepCursor, type SweepStep } from "../../src/store/monitor/OverdueMonitors.ts"
import { singletonEvery } from "../SingletonEvery.ts"

/** How often a lost assignment is published again, and how many at a time. If that does not help, a person must act. */
const republish = { everyMs: Duration.toMillis("5 minutes"), most: 500 }

/** Late monitors read at a time, and how often in a run; the next run continues, so that a region that is gone hides no others. */
const sweepSteps = { most: 5_000, each: 4 }

const publishNotice = () =>
  makeNotice<SilentMonitor>(
    (all) =>
      `Publishing the assignments of ${counted(all.length, "monitor")} again, for example ${all[0]?.id}: overdue for a check, ` +
      `although probes of their regions (${regionsOf(all)}) are up`,
    "No assignments are published again"
  )

export const makeWatchdog = Effect.fn("MonitoringWatchdog.make")(function*(steps = sweepSteps) {
  const overdueMonitors = yield* OverdueMonitors
  const assignments = yield* Assignments
  const health = yield* RegionHealth
  const monitors = makeOverdueWatch<string>(yield* Clock.currentTimeMillis)
  const ration = makeRation<string>(republish.everyMs, republish.most)
  const notice = publishNotice()
  const sweep = makeSweep<SilentMonitor>()
  let cursor: SweepCursor | null = null

  const republishLost = (overdue: ReadonlyArray<SilentMonitor>, now: number) => {
    const chosen = ration(overdue.map(({ id }) => id), now)
    const keys = overdue.flatMap(({ id, workspaceId }) => chosen.has(id) ? [{ monitorId: id, workspaceId }] : [])
    return keys.length === 0 ? Effect.void : assignments.queueAgain(keys)
  }

  return Effect.gen(function*() {
    const sound = new Set((yield* health.all).flatMap((region) => region.healthy ? [region.id] : []))
    const now = yield* DateTime.now
    const at = DateTime.toEpochMillis(now)
    const overdue: Array<SilentMonitor> = []
    let found: Judgement<SilentMonitor>
    let left = steps.each
    do {
      const step: SweepStep = yield* overdueMonitors.monitors(now, cursor, steps.most)
      cursor = step.next
      const judged = monitors.judge(step.monitors, sound, at, cursor === null)
      found = sweep(judged, cursor === null)
      overdue.push(...judged.overdue)
    } while (cursor !== null && --left > 0)
    yield* notice(found.overdue)
    yield* republishLost(overdue, at)
  })
})

export const MonitoringWatchdog = singletonEvery("MonitoringWatchdog", "30 seconds", makeWatchdog())
