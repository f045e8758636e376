/** The log lines about the monitoring itself: once when something goes wrong, each time it has doubled, and once when it is over. */
import { Effect } from "effect"
import type { Judgement, Watched } from "../../domain/monitor/OverdueWatch.ts"
import { counted } from "../../domain/tools/text/Counted.ts"
import type { Ages } from "../../store/Backlog.ts"
import type { RegionAtWork, SilentMonitor } from "../../store/monitor/OverdueMonitors.ts"

/** Logs when a list stops being empty, each time it has doubled since, and when it is empty again. */
export const makeNotice = <A>(begin: (all: ReadonlyArray<A>) => string, end: string) => {
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

export const regionsOf = (all: ReadonlyArray<Watched<unknown>>): string => {
  const names = [...new Set(all.flatMap(({ regions }) => regions))]
  return names.length > 5 ? `${names.slice(0, 5).join(", ")} and others` : names.join(", ")
}

const waitingNotice = (what: string) =>
  makeNotice<number>(([age]) => `${what} delayed by ${Math.round(age ?? 0)} s`, `${what} no longer delayed`)

export const makeMonitoringNotices = () => {
  const overdue = makeNotice<SilentMonitor>(
    (all) =>
      `${counted(all.length, "monitor")} overdue for a check, for example ${all[0]?.id}, although probes of their regions ` +
      `(${regionsOf(all)}) are up`,
    "All monitors with a probe are checked again"
  )
  const unseen = makeNotice<SilentMonitor>(
    (all) =>
      `${counted(all.length, "monitor")} cannot be checked, for example ${all[0]?.id}: no probe of their regions ` +
      `(${regionsOf(all)}) is up`,
    "Every monitor has a probe again"
  )
  const silent = makeNotice<RegionAtWork>(
    (all) =>
      all.map(({ id, monitors }) =>
        `The probes of region ${id} beat, but no checks of it are stored; ${counted(monitors, "monitor")} ` +
        `${monitors === 1 ? "relies" : "rely"} on them`
      ).join(". "),
    "Checks of every region with probes are stored again"
  )
  const events = waitingNotice("Fan-out of events")
  const alarms = waitingNotice("Alarms of actors")
  /** `tooLong`: the delay in seconds that is worth a line. */
  return (monitors: Judgement<SilentMonitor>, regions: Judgement<RegionAtWork>, ages: Ages, tooLong: number) =>
    Effect.all([
      overdue(monitors.overdue),
      unseen(monitors.unseen),
      silent(regions.overdue),
      events(ages.events > tooLong ? [ages.events] : []),
      alarms(ages.alarms > tooLong ? [ages.alarms] : [])
    ], { discard: true })
}
