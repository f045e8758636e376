/** Watches the watchers, on one runner at a time: monitors that nobody checks any more, regions that deliver nothing, news that wait. */
import { Singleton } from "@effect/cluster"
import { Clock, DateTime, Duration, Effect } from "effect"
import { Gauge } from "prom-client"
import type { RegionId } from "../../schema/check/Region.ts"
import { type Judgement, makeOverdueWatch, makeRation, type Watched } from "../../src/domain/monitor/OverdueWatch.ts"
import { persevere } from "../../src/loops/Persevere.ts"
import { unending } from "../../src/loops/Unending.ts"
import { type Ages, Backlog } from "../../src/store/Backlog.ts"
import { Assignments } from "../../src/store/monitor/Assignments.ts"
import { OverdueMonitors, type QuietMonitor, type RegionAtWork } from "../../src/store/monitor/OverdueMonitors.ts"
import { RegionHealth } from "../check/RegionHealth.ts"

const every = Duration.seconds(30)

/** An assignment that was lost is told again; one for which that does not help needs a person. */
const again = { everyMs: Duration.toMillis("5 minutes"), most: 500 }

/** Events and alarms wait for no one but us: longer than this is an outage, s. */
const tooLong = 60

const overdueGauge = new Gauge({
  name: "belltower_monitors_overdue",
  help:
    "Monitors without a check for longer than 2.5 intervals and a minute, by whether a region of theirs is sound or all are away",
  labelNames: ["regions"]
})
const silentGauge = new Gauge({
  name: "belltower_regions_silent",
  help: "Regions whose probes beat, have monitors to check and deliver no results"
})
const ageGauges = {
  events: new Gauge({
    name: "belltower_events_oldest_untold_seconds",
    help: "How long the oldest event has waited to be told to channels"
  }),
  deliveries: new Gauge({
    name: "belltower_deliveries_oldest_due_seconds",
    help: "For how long the oldest delivery has been due"
  }),
  mails: new Gauge({ name: "belltower_mails_oldest_due_seconds", help: "For how long the oldest mail has been due" }),
  alarms: new Gauge({
    name: "belltower_alarms_oldest_due_seconds",
    help: "For how long the oldest alarm of an actor has been due"
  }),
  assignments: new Gauge({ name: "belltower_assignments_waiting", help: "Edits of monitors that the probes have yet to be told" })
} satisfies Record<keyof Ages, Gauge>
const gauges = [overdueGauge, silentGauge, ...Object.values(ageGauges)]

/** Says that there are some, once more whenever they have doubled since, and when there are none any more. */
const makeNotice = <A>(begin: (all: ReadonlyArray<A>) => string, end: string) => {
  let told = 0
  return (all: ReadonlyArray<A>): Effect.Effect<void> =>
    Effect.suspend(() => {
      const before = told
      if (all.length === 0) {
        told = 0
        return before === 0 ? Effect.void : Effect.logInfo(end)
      }
      if (before > 0 && all.length < 2 * before) return Effect.void
      told = all.length
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
      `${counted(all.length, "monitor")} should have been checked long ago, among them ${all[0]?.id}, though probes of ` +
      `their regions (${regionsOf(all)}) are there; their assignments are told again`,
    "All monitors whose regions are there are checked again"
  )

const unseenNotice = () =>
  makeNotice<QuietMonitor>(
    (all) =>
      `${counted(all.length, "monitor")} cannot be checked, among them ${all[0]?.id}: the probes of their regions ` +
      `(${regionsOf(all)}) are away`,
    "Every monitor has a region that can check it again"
  )

const silentNotice = () =>
  makeNotice<RegionAtWork>(
    (all) =>
      all.map(({ id, monitors }) =>
        `The probes of region ${id} beat, but have delivered no results for a while; ` +
        `${counted(monitors, "monitor")} ${monitors === 1 ? "is" : "are"} to be checked from there`
      ).join(". "),
    "Every region whose probes beat delivers results again"
  )

const waitingNotice = (what: string) =>
  makeNotice<number>(([age]) => `${what} for ${Math.round(age ?? 0)} s`, `${what} no longer`)

/** `look` makes known who is overdue, silent or waiting, and mends what can be mended. */
export const makeWatch = Effect.gen(function*() {
  const silence = yield* OverdueMonitors
  const assignments = yield* Assignments
  const backlog = yield* Backlog
  const health = yield* RegionHealth
  const start = yield* Clock.currentTimeMillis
  const monitors = makeOverdueWatch<string>(start)
  const regions = makeOverdueWatch<RegionId>(start)
  const ration = makeRation<string>(again.everyMs, again.most)
  const notice = { overdue: overdueNotice(), unseen: unseenNotice(), silent: silentNotice() }
  const waiting = {
    events: waitingNotice("Events wait to be told to channels"),
    alarms: waitingNotice("Alarms wait to ring")
  }

  const tell = ({ overdue, unseen }: Judgement<QuietMonitor>) =>
    Effect.gen(function*() {
      overdueGauge.set({ regions: "sound" }, overdue.length)
      overdueGauge.set({ regions: "away" }, unseen.length)
      yield* notice.overdue(overdue)
      yield* notice.unseen(unseen)
    })

  const mend = (overdue: ReadonlyArray<QuietMonitor>, now: number) => {
    const chosen = ration(overdue.map(({ id }) => id), now)
    const keys = overdue.flatMap(({ id, workspaceId }) => chosen.has(id) ? [{ monitorId: id, workspaceId }] : [])
    return keys.length === 0 ? Effect.void : assignments.tellAgain(keys)
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

  const look = Effect.gen(function*() {
    const sound = new Set((yield* health.all).flatMap((region) => region.healthy ? [region.id] : []))
    const now = yield* DateTime.now
    const at = DateTime.toEpochMillis(now)
    const judged = monitors.judge(yield* silence.monitors(now), sound, at)
    yield* tell(judged)
    yield* mend(judged.overdue, at)
    const { overdue: silent } = regions.judge(yield* silence.regions, sound, at)
    silentGauge.set(silent.length)
    yield* notice.silent(silent)
    yield* measure
  })
  return { look }
})

export const MonitoringWatchdog = Singleton.make(
  "MonitoringWatchdog",
  Effect.gen(function*() {
    // What this runner knew is out of date as soon as another keeps watch.
    yield* Effect.addFinalizer(() => Effect.sync(() => gauges.forEach((gauge) => gauge.reset())))
    const { look } = yield* makeWatch
    const keepWatch = persevere("Looking for monitors that nobody checks", look).pipe(
      Effect.zipRight(Effect.sleep(every)),
      Effect.forever
    )
    return yield* unending("The watch over the checks", keepWatch)
  })
)
