/** Watches the monitoring itself: monitors that are no longer checked, regions that deliver nothing, work that waits too long. */
import { Clock, DateTime, Duration, Effect } from "effect"
import { Gauge } from "prom-client"
import type { RegionId } from "../../schema/check/Region.ts"
import { type Judgement, makeOverdueWatch, makeRation, makeSweep, type Watched } from "../../src/domain/monitor/OverdueWatch.ts"
import { type Ages, Backlog } from "../../src/store/Backlog.ts"
import { Assignments } from "../../src/store/monitor/Assignments.ts"
import {
  OverdueMonitors,
  type QuietMonitor,
  type RegionAtWork,
  type SweepPlace,
  type SweepStep
} from "../../src/store/monitor/OverdueMonitors.ts"
import { RegionHealth } from "../check/RegionHealth.ts"
import { singletonEvery } from "../SingletonEvery.ts"

/** How often a lost assignment is published again, and how many at a time. If that does not help, a person must act. */
const republish = { everyMs: Duration.toMillis("5 minutes"), most: 500 }

/**
 * Late monitors read at a time, and how often in each look. What is beyond follows in the next look: the monitors of a region that is
 * gone for good hide no others.
 */
const sweepSteps = { most: 5_000, each: 4 }

/** Events and alarms wait only for our own runners: longer than this is an outage, s. */
const tooLong = 60

const overdueGauge = new Gauge({
  name: "belltower_monitors_overdue",
  help:
    "Monitors without a check for longer than 2.5 intervals plus a minute; regions=sound while one of their regions is healthy, else away",
  labelNames: ["regions"]
})
const silentGauge = new Gauge({
  name: "belltower_regions_silent",
  help: "Regions whose probes beat and have monitors to check, but deliver no results"
})
const ageGauges = {
  events: new Gauge({
    name: "belltower_events_oldest_untold_seconds",
    help: "Age of the oldest event that has not been fanned out to channels"
  }),
  deliveries: new Gauge({
    name: "belltower_deliveries_oldest_due_seconds",
    help: "How long the workspace that waits longest has waited for its turn to deliver; receivers that are slow do not count"
  }),
  mails: new Gauge({ name: "belltower_mails_oldest_due_seconds", help: "How long the oldest mail has been due" }),
  alarms: new Gauge({
    name: "belltower_alarms_oldest_due_seconds",
    help: "How long the oldest alarm of an actor has been due"
  }),
  assignments: new Gauge({
    name: "belltower_assignments_waiting",
    help: "Edits of monitors that have not been published to the probes"
  })
} satisfies Record<keyof Ages, Gauge>
const gauges = [overdueGauge, silentGauge, ...Object.values(ageGauges)]

/** Logs when a list stops being empty, each time it has doubled since, and when it is empty again. */
const makeNotice = <A>(begin: (all: ReadonlyArray<A>) => string, end: string) => {
  let logged = 0
  return (all: ReadonlyArray<A>): Effect.Effect<void> =>
    Effect.suspend(() => {
      const before = logged
      if (all.length === 0) {
        logged = 0
        return before === 0 ? Effect.void : Effect.logInfo(end)
      }
      if (before > 0 && all.length < 2 * before) return Effect.void
      logged = all.length
      return Effect.logWarning(begin(all))
    })
}

const counted = (count: number, what: string): string => count === 1 ? `1 ${what}` : `${count} ${what}s`

const regionsOf = (all: ReadonlyArray<Watched<unknown>>): string => {
  const names = [...new Set(all.flatMap(({ regions }) => regions))]
  return names.length > 5 ? `${names.slice(0, 5).join(", ")} and others` : names.join(", ")
}

const overdueNotice = () =>
  makeNotice<QuietMonitor>(
    (all) =>
      `${counted(all.length, "monitor")} overdue for a check, for example ${all[0]?.id}, although probes of their regions ` +
      `(${regionsOf(all)}) are up; publishing their assignments again`,
    "All monitors with a probe are checked again"
  )

const unseenNotice = () =>
  makeNotice<QuietMonitor>(
    (all) =>
      `${counted(all.length, "monitor")} cannot be checked, for example ${all[0]?.id}: no probe of their regions ` +
      `(${regionsOf(all)}) is up`,
    "Every monitor has a probe again"
  )

const silentNotice = () =>
  makeNotice<RegionAtWork>(
    (all) =>
      all.map(({ id, monitors }) =>
        `The probes of region ${id} beat but deliver no results; ${counted(monitors, "monitor")} ` +
        `${monitors === 1 ? "relies" : "rely"} on them`
      ).join(". "),
    "Every region with probes delivers results again"
  )

const waitingNotice = (what: string) =>
  makeNotice<number>(([age]) => `${what} delayed by ${Math.round(age ?? 0)} s`, `${what} no longer delayed`)

/** Reports the monitors that are overdue, and republishes lost assignments. */
const makeMonitorWatch = Effect.fnUntraced(function*(steps: typeof sweepSteps) {
  const overdueMonitors = yield* OverdueMonitors
  const assignments = yield* Assignments
  const start = yield* Clock.currentTimeMillis
  const monitors = makeOverdueWatch<string>(start)
  const sweep = makeSweep<QuietMonitor>()
  const ration = makeRation<string>(republish.everyMs, republish.most)
  const notice = { overdue: overdueNotice(), unseen: unseenNotice() }
  let place: SweepPlace | null = null

  const report = ({ overdue, unseen }: Judgement<QuietMonitor>) =>
    Effect.gen(function*() {
      overdueGauge.set({ regions: "sound" }, overdue.length)
      overdueGauge.set({ regions: "away" }, unseen.length)
      yield* notice.overdue(overdue)
      yield* notice.unseen(unseen)
    })

  const republishLost = (overdue: ReadonlyArray<QuietMonitor>, now: number) => {
    const chosen = ration(overdue.map(({ id }) => id), now)
    const keys = overdue.flatMap(({ id, workspaceId }) => chosen.has(id) ? [{ monitorId: id, workspaceId }] : [])
    return keys.length === 0 ? Effect.void : assignments.tellAgain(keys)
  }

  return Effect.fnUntraced(function*(now: DateTime.Utc, sound: ReadonlySet<RegionId>) {
    const at = DateTime.toEpochMillis(now)
    const overdue: Array<QuietMonitor> = []
    let found: Judgement<QuietMonitor>
    let left = steps.each
    do {
      const step: SweepStep = yield* overdueMonitors.monitors(now, place, steps.most)
      place = step.next
      const judged = monitors.judge(step.monitors, sound, at, place === null)
      found = sweep(judged, place === null)
      overdue.push(...judged.overdue)
    } while (place !== null && --left > 0)
    yield* report(found)
    yield* republishLost(overdue, at)
  })
})

/** A step that reports what is overdue, silent or delayed, and republishes lost assignments. */
export const makeWatchdog = Effect.fn("MonitoringWatchdog.make")(function*(steps = sweepSteps) {
  const overdueMonitors = yield* OverdueMonitors
  const backlog = yield* Backlog
  const health = yield* RegionHealth
  const watchMonitors = yield* makeMonitorWatch(steps)
  const regions = makeOverdueWatch<RegionId>(yield* Clock.currentTimeMillis)
  const silentRegions = silentNotice()
  const waiting = {
    events: waitingNotice("Fan-out of events"),
    alarms: waitingNotice("Alarms of actors")
  }

  const measure = Effect.flatMap(backlog.ages, (ages) => {
    ageGauges.events.set(ages.events)
    ageGauges.deliveries.set(ages.deliveries)
    ageGauges.mails.set(ages.mails)
    ageGauges.alarms.set(ages.alarms)
    ageGauges.assignments.set(ages.assignments)
    return Effect.zipRight(
      waiting.events(ages.events > tooLong ? [ages.events] : []),
      waiting.alarms(ages.alarms > tooLong ? [ages.alarms] : [])
    )
  })

  return Effect.gen(function*() {
    const sound = new Set((yield* health.all).flatMap((region) => region.healthy ? [region.id] : []))
    const now = yield* DateTime.now
    yield* watchMonitors(now, sound)
    const { overdue: silent } = regions.judge(yield* overdueMonitors.regions(now), sound, DateTime.toEpochMillis(now))
    silentGauge.set(silent.length)
    yield* silentRegions(silent)
    yield* measure
  })
})

export const MonitoringWatchdog = singletonEvery(
  "MonitoringWatchdog",
  "30 seconds",
  // What this runner measured is out of date as soon as another one watches.
  Effect.zipRight(Effect.addFinalizer(() => Effect.sync(() => gauges.forEach((gauge) => gauge.reset()))), makeWatchdog())
)
