/**
 * Watches from an api process whether monitoring goes on, by what the runners have left in the database: they cannot report that they
 * hang. Exports it as metrics and for /health, and logs when it changes.
 */
import { Clock, Context, DateTime, Duration, Effect, Layer, Option, Struct } from "effect"
import { Gauge } from "prom-client"
import type { RegionId } from "../../../schema/check/Region.ts"
import { type Lateness, troubles } from "../../domain/health/DeadMansSwitch.ts"
import { type Finding, fine } from "../../domain/health/Health.ts"
import {
  monitorsFinding,
  newestAge,
  type RegionReport,
  regionReports,
  regionsFinding,
  resultDelay
} from "../../domain/monitor/MonitoringVerdict.ts"
import { type Judgement, makeOverdueWatch } from "../../domain/monitor/OverdueWatch.ts"
import { restartForever } from "../../loops/RestartForever.ts"
import { retryForever } from "../../loops/RetryForever.ts"
import { type Ages, Backlog } from "../../store/Backlog.ts"
import { Regions } from "../../store/check/Regions.ts"
import { OverdueMonitors, type RegionAtWork, type SilentMonitor } from "../../store/monitor/OverdueMonitors.ts"
import { RegionHealth } from "../check/RegionHealth.ts"
import { makeMonitoringNotices } from "./MonitoringNotices.ts"

const lookEvery = Duration.seconds(15)

/** A look that is older proves nothing any more, ms. */
const validFor = 90_000

/** Late monitors looked at each time. */
const most = 1_000

/** Events and alarms wait only for our own runners: longer than this is an outage, s. */
const tooLong = 60

/** The findings of the last look; the gauges are read from them. */
interface Seen {
  readonly at: number
  readonly monitors: Judgement<SilentMonitor>
  /** The lateness of all monitors; null while none are overdue. */
  readonly lateness: Lateness | null
  readonly regions: ReadonlyArray<RegionReport>
  readonly ages: Ages
  /** How long the oldest edit of a monitor has waited, as this process has seen, s. */
  readonly editAge: number
}

const overdueGauge = new Gauge({
  name: "belltower_monitors_overdue",
  help: "Monitors without a check for longer than 2.5 intervals plus a minute, 1000 at most; " +
    "regions=sound while one of their regions is healthy, else away; of any api, the same of all",
  labelNames: ["regions"]
})
const stoppedGauge = new Gauge({
  name: "belltower_region_checks_stopped",
  help: "1 while monitors of a region are due and no checks of it are stored, else 0",
  labelNames: ["region"]
})
/** Runs at each scrape, so that the age grows while the database is away. */
let readNewest = (): void => {}
const newestGauge = new Gauge({
  name: "belltower_newest_check_age_seconds",
  help: "Age of the newest stored check of a region; it also grows while nothing is due there",
  labelNames: ["region"],
  collect: () => readNewest()
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

const measure = ({ ages, monitors, regions }: Seen): void => {
  overdueGauge.set({ regions: "sound" }, monitors.overdue.length)
  overdueGauge.set({ regions: "away" }, monitors.unseen.length)
  stoppedGauge.reset()
  for (const { id, pace } of regions) stoppedGauge.set({ region: id }, pace === "stopped" ? 1 : 0)
  for (const [what, gauge] of Struct.entries(ageGauges)) gauge.set(ages[what])
}

const measureNewest = (seen: Seen | null, now: number): void => {
  newestGauge.reset()
  for (const region of seen?.regions ?? []) {
    const age = newestAge(region, now)
    if (age !== null) newestGauge.set({ region: region.id }, age)
  }
}

export const backlogFinding = ({ ages: { alarms, events }, editAge }: Seen): Finding => {
  const late = [
    ...(editAge > tooLong ? [`edits of monitors delayed by ${Math.round(editAge)} s`] : []),
    ...(events > tooLong ? [`fan-out of events delayed by ${Math.round(events)} s`] : []),
    ...(alarms > tooLong ? [`alarms of actors delayed by ${Math.round(alarms)} s`] : [])
  ]
  return late.length === 0 ? fine : { state: "degraded", reason: `Runners are behind: ${late.join(", ")}` }
}

/** Why the dead man's switch is silent. */
export const troublesOf = ({ ages, lateness, regions }: Seen, now: number): ReadonlyArray<string> =>
  troubles({
    regions: regions.map((one) => ({ id: one.id, pace: one.pace, delaySec: resultDelay(one, now) })),
    overdue: lateness,
    ages
  })

/** Looks once, sets the gauges, and logs the problems that began or ended. */
export const makeMonitoringLook = Effect.fn("MonitoringHealth.makeLook")(function*() {
  const overdueMonitors = yield* OverdueMonitors
  const backlog = yield* Backlog
  const known = yield* Regions
  const health = yield* RegionHealth
  const start = yield* Clock.currentTimeMillis
  const monitors = makeOverdueWatch<string>(start)
  const regions = makeOverdueWatch<RegionId>(start)
  const notices = makeMonitoringNotices()
  let edit: { readonly sequence: number | null; readonly since: number } = { sequence: null, since: start }

  return Effect.gen(function*() {
    const now = yield* DateTime.now
    const at = DateTime.toEpochMillis(now)
    const all = yield* health.all
    const sound = new Set(all.flatMap((region) => region.healthy ? [region.id] : []))
    const late = monitors.judge(yield* overdueMonitors.latest(now, most), sound, at)
    const silent: Judgement<RegionAtWork> = regions.judge(yield* overdueMonitors.regions(now), sound, at)
    const newest = (yield* known.known).map(({ id, lastResultAt, newestCheckAt }) => ({
      id,
      newestCheckAt: newestCheckAt === null ? null : DateTime.toEpochMillis(newestCheckAt),
      lastResultAt: lastResultAt === null ? null : DateTime.toEpochMillis(lastResultAt)
    }))
    const isAnyLate = late.overdue.length + late.unseen.length > 0
    const lateness = isAnyLate ? yield* overdueMonitors.lateness(now, monitors.watchingSince()) : null
    const ages = yield* backlog.ages
    const sequence = yield* backlog.oldestEdit
    if (sequence === null || sequence !== edit.sequence || at < edit.since) edit = { sequence, since: at }
    const editAge = (at - edit.since) / 1000
    const seen: Seen = { at, monitors: late, lateness, regions: regionReports(newest, silent, at), ages, editAge }
    measure(seen)
    yield* notices(late, silent, ages, tooLong)
    return seen
  })
})

export class MonitoringHealth extends Context.Tag("belltower/MonitoringHealth")<MonitoringHealth, {
  /** Whether checks of each region are stored, whether monitors are overdue, and whether the runners' other work is late. */
  readonly regions: Effect.Effect<Finding>
  readonly monitors: Effect.Effect<Finding>
  readonly backlog: Effect.Effect<Finding>
  /** Why the installation does not check, decide or deliver now; empty if it does. */
  readonly troubles: Effect.Effect<ReadonlyArray<string>>
}>() {
  static readonly layer: Layer.Layer<MonitoringHealth, never, Backlog | OverdueMonitors | RegionHealth | Regions> = Layer.scoped(
    MonitoringHealth,
    Effect.gen(function*() {
      const clock = yield* Effect.clock
      const look = yield* makeMonitoringLook()
      let last: Seen | null = null
      readNewest = () => measureNewest(last, clock.unsafeCurrentTimeMillis())
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          readNewest = () => {}
        })
      )
      const what = "Watching the monitoring"
      const step = Effect.map(retryForever(what, look), (seen) => {
        last = seen
      })
      yield* Effect.forkScoped(restartForever(what, Effect.forever(Effect.zipRight(step, Effect.sleep(lookEvery)))))

      const from = (find: (seen: Seen, now: number) => Finding): Effect.Effect<Finding> =>
        Effect.map(Clock.currentTimeMillis, (now): Finding =>
          Option.match(Option.fromNullable(last), {
            onNone: () => ({ state: "degraded", reason: "It has not been looked at yet" }),
            onSome: (seen) =>
              now - seen.at > validFor
                ? {
                  ...find(seen, now),
                  state: "degraded",
                  reason: `It could not be read for ${Math.round((now - seen.at) / 1000)} s`
                }
                : find(seen, now)
          }))
      return {
        regions: from(({ regions }, now) => regionsFinding(regions, now)),
        monitors: from(({ monitors }) => monitorsFinding(monitors, most)),
        backlog: from(backlogFinding),
        troubles: Effect.map(Clock.currentTimeMillis, (now) =>
          last === null || now - last.at > validFor
            ? ["the database does not say what the runners do"]
            : troublesOf(last, now))
      }
    })
  )
}
