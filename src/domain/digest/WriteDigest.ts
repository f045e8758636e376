/** Writes a digest by rules: its figures, its summary, and points that need attention. */
import { DateTime, Order } from "effect"
import type { Digest, DigestMonitor } from "../../../schema/digest/Digest.ts"
import type { MonitorId } from "../../../schema/Ids.ts"
import { percent, type Tally } from "../monitor/Uptime.ts"
import { counted } from "../tools/text/Counted.ts"
import { isolated } from "../tools/text/Direction.ts"
import { durationText } from "../tools/time/Duration.ts"
import type { Period } from "./DigestWeek.ts"

/** A monitor's observed time in the period and in the one before. */
export interface MonitorWeek {
  readonly id: MonitorId
  readonly name: string
  readonly current: Tally
  readonly previous: Tally
  /** Incidents that began in the period. */
  readonly incidents: number
}

interface DigestSource {
  readonly workspace: Digest["workspace"]
  readonly timezone: string
  readonly period: Period
  readonly monitors: ReadonlyArray<MonitorWeek>
  /** With the number of those that began in the period before. */
  readonly incidents: Digest["incidents"] & { readonly previous: number }
}

const mostListed = 10
const mostFocus = 5
/** A monitor with so many incidents in a week is unstable. */
const manyIncidents = 3
/** An incident of so many minutes should have been acknowledged. */
const longMinutes = 30
/** Below this share, figures say little. */
const lowCoverage = 90

const sum = (tallies: ReadonlyArray<Tally>): Tally =>
  tallies.reduce((all, { badMs, goodMs }) => ({ goodMs: all.goodMs + goodMs, badMs: all.badMs + badMs }), { goodMs: 0, badMs: 0 })

const shareOf = ({ badMs, goodMs }: Tally): number | null => goodMs + badMs <= 0 ? null : percent(goodMs, goodMs + badMs)

const seconds = ({ badMs }: Tally): number => Math.round(badMs / 1000)

const compared = (current: number, previous: number): string =>
  current === previous
    ? "as many as the week before"
    : current > previous
    ? `${current - previous} more than the week before`
    : `${previous - current} fewer than the week before`

const summaryOf = ({ incidents, monitors }: DigestSource, all: Tally): string => {
  if (monitors.length === 0) return "There are no monitors yet."
  const uptime = shareOf(all)
  const who = counted(monitors.length, "monitor")
  const up = uptime === null
    ? `Nothing was observed on ${who}.`
    : `${who} ${monitors.length === 1 ? "was" : "were"} up ${uptime}% of the time${
      all.badMs === 0 ? "" : `, with ${durationText(seconds(all))} of downtime together`
    }.`
  const began = incidents.total === 0 && incidents.previous === 0
    ? "There were no incidents."
    : `${counted(incidents.total, "incident")}, ${compared(incidents.total, incidents.previous)}.`
  return `${up} ${began}`
}

const worstFirst = Order.combine(
  Order.reverse(Order.mapInput(Order.number, ({ downSeconds }: DigestMonitor) => downSeconds)),
  Order.mapInput(Order.string, ({ id }: DigestMonitor) => id)
)

const focusOf = ({ incidents, monitors }: DigestSource, coverage: number): ReadonlyArray<string> => {
  const unstable = monitors.filter((one) => one.incidents >= manyIncidents).sort((a, b) => b.incidents - a.incidents)
  const unanswered = incidents.longest.filter((one) => !one.acknowledged && one.durationMinutes >= longMinutes).length
  return [
    ...(incidents.open === 0 ? [] : [`${counted(incidents.open, "incident is", "incidents are")} still open.`]),
    ...unstable.slice(0, 3).map(({ incidents, name }) =>
      `${isolated(name)} had ${incidents} incidents. Find out what they have in common.`
    ),
    ...(unanswered === 0
      ? []
      : [`Nobody acknowledged ${counted(unanswered, "incident")} of ${longMinutes} minutes or more. Check who is alerted.`]),
    ...(monitors.length > 0 && coverage < lowCoverage
      ? [`Only ${coverage}% of the time was observed. Look for paused monitors and probes that were away.`]
      : [])
  ].slice(0, mostFocus)
}

export const writeDigest = (source: DigestSource): Digest => {
  const { incidents, monitors, period, timezone, workspace } = source
  const current = sum(monitors.map((one) => one.current))
  const previous = sum(monitors.map((one) => one.previous))
  const length = DateTime.distance(period.from, period.to) * monitors.length
  const coverage = length === 0 ? 0 : percent(current.goodMs + current.badMs, length)
  const worst = monitors
    .map(({ current, id, incidents, name }): DigestMonitor => ({
      id,
      name,
      uptimePercent: shareOf(current),
      downSeconds: seconds(current),
      incidents
    }))
    .filter(({ downSeconds }) => downSeconds > 0)
    .sort(worstFirst)
  const { previous: before, ...counts } = incidents
  return {
    workspace,
    period: { ...period, timezone },
    summary: summaryOf(source, current),
    monitors: {
      total: monitors.length,
      uptimePercent: shareOf(current),
      coveragePercent: coverage,
      downSeconds: seconds(current),
      worst: worst.slice(0, mostListed)
    },
    incidents: { ...counts, longest: incidents.longest.slice(0, mostListed) },
    trends: {
      uptimePercent: { current: shareOf(current), previous: shareOf(previous) },
      incidents: { current: incidents.total, previous: before },
      downSeconds: { current: seconds(current), previous: seconds(previous) }
    },
    focus: focusOf(source, coverage),
    ai: null
  }
}
