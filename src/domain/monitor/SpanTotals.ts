/** Uptime from running totals: the good and bad time up to an instant, of which any two give the uptime in between. */
import type { UptimeShare, UptimeWindows } from "../../../schema/monitor/Monitor.ts"
import { nothing, share, type SpanState, type Tally, weightOf } from "./Uptime.ts"

/** A span, and its monitor's good and bad time before it, ms; `endedAt` is null for the current span. Lists read four per monitor. */
type TotalledSpan = readonly [state: SpanState, startedAt: number, endedAt: number | null, goodMs: number, badMs: number]

/** A time of maintenance in ms since 1970, and the spans that contain its start and its end. The times of a monitor do not overlap. */
export type MaintenanceSpans = readonly [from: number, to: number, first: TotalledSpan, last: TotalledSpan]

/** The spans that contain the starts of the windows, or the first span if a window starts before it; and the current one. */
export type WindowSpans = readonly [day: TotalledSpan, week: TotalledSpan, month: TotalledSpan, now: TotalledSpan]

const hour = 3_600_000
const windows = [24 * hour, 7 * 24 * hour, 30 * 24 * hour] as const

/** The instants whose spans `uptimeWindows` needs, ms since 1970. */
export const windowBorders = (now: number): ReadonlyArray<number> => [...windows.map((length) => now - length), now]

/** The totals at an instant. A current span counts until `observedUntil`; before the first span nothing counts. */
const totalsAt = ([state, startedAt, endedAt, goodMs, badMs]: TotalledSpan, at: number, observedUntil: number): Tally => {
  const end = Math.min(at, endedAt ?? Math.max(startedAt, observedUntil))
  const part = Math.max(0, end - startedAt)
  const weight = weightOf(state)
  return { goodMs: goodMs + (weight === "goodMs" ? part : 0), badMs: badMs + (weight === "badMs" ? part : 0) }
}

const difference = (after: Tally, before: Tally): Tally => ({
  goodMs: after.goodMs - before.goodMs,
  badMs: after.badMs - before.badMs
})

type TotalsAt = Tally & { readonly at: number }

/** The observed time between two instants outside of maintenance. */
const observedBetween = (
  before: TotalsAt,
  after: TotalsAt,
  maintenance: ReadonlyArray<MaintenanceSpans>,
  observedUntil: number
): Tally => {
  let observed = difference(after, before)
  for (const [from, to, first, last] of maintenance) {
    if (to <= before.at || from >= after.at) continue
    const planned = difference(
      to < after.at ? totalsAt(last, to, observedUntil) : after,
      from > before.at ? totalsAt(first, from, observedUntil) : before
    )
    observed = difference(observed, planned)
  }
  return observed
}

/** The observed time outside of maintenance between adjoining borders (ms, ascending), from the spans that contain these. */
export const talliesBetween = (
  spans: ReadonlyArray<TotalledSpan> | null,
  maintenance: ReadonlyArray<MaintenanceSpans> | null,
  borders: ReadonlyArray<number>,
  observedUntil: number
): ReadonlyArray<Tally> => {
  const totals = borders.map((at, index): TotalsAt => {
    const span = spans?.[index]
    return { at, ...(span === undefined ? nothing : totalsAt(span, at, observedUntil)) }
  })
  return totals.slice(1).map((after, index) =>
    observedBetween(totals[index] ?? { at: 0, ...nothing }, after, maintenance ?? [], observedUntil)
  )
}

/** The uptime of the last 24 hours, 7 days and 30 days outside of maintenance; null without spans. */
export const uptimeWindows = (
  spans: WindowSpans | null,
  maintenance: ReadonlyArray<MaintenanceSpans> | null,
  observedUntil: number,
  now: number
): UptimeWindows => {
  if (spans === null) return { "24h": null, "7d": null, "30d": null }
  const [day, week, month, current] = spans
  const after = totalsAt(current, now, observedUntil)
  const shareSince = (span: TotalledSpan, length: number): UptimeShare | null => {
    const window = { from: now - length, to: now }
    const before = totalsAt(span, window.from, observedUntil)
    const observed = maintenance === null
      ? difference(after, before)
      : observedBetween({ at: window.from, ...before }, { at: now, ...after }, maintenance, observedUntil)
    return share(observed, window)
  }
  return {
    "24h": shareSince(day, windows[0]),
    "7d": shareSince(week, windows[1]),
    "30d": shareSince(month, windows[2])
  }
}
