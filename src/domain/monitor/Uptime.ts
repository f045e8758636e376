/** Uptime as a share of observed time, weighted by time and not by the count of checks. */
import type { EffectiveStatus } from "../../../schema/component/Component.ts"
import type { MonitorState, UptimeShare } from "../../../schema/monitor/Monitor.ts"

/** What a monitor was in, for a while: a state, or nothing was there to look. */
export type SpanState = MonitorState | "unobserved"

/** A stretch of time in one condition, ms since 1970; the one that still lasts has no end. */
export interface Stretch<Condition> {
  readonly state: Condition
  readonly startedAt: number
  readonly endedAt: number | null
}

/** A stretch of a monitor's life. */
export type Span = Stretch<SpanState>

/** Half-open: `from` is inside, `to` is not. Milliseconds since 1970. */
export interface Window {
  readonly from: number
  readonly to: number
}

/** Observed milliseconds of a window; those of adjoining windows add up. */
export interface Tally {
  readonly goodMs: number
  readonly badMs: number
}

const nothing: Tally = { goodMs: 0, badMs: 0 }

/** A component that fails in part still serves: only a major outage counts against it. */
const weights: Record<SpanState | EffectiveStatus, keyof Tally | null> = {
  up: "goodMs",
  degraded: "goodMs",
  down: "badMs",
  operational: "goodMs",
  partial_outage: "goodMs",
  major_outage: "badMs",
  maintenance: null,
  unknown: null,
  paused: null,
  pending: null,
  unobserved: null
}

/** The part of a stretch that lies in the window, ms. */
export const overlap = (stretch: Stretch<unknown>, window: Window): number =>
  Math.max(0, Math.min(stretch.endedAt ?? window.to, window.to) - Math.max(stretch.startedAt, window.from))

/** Adds up the window. Stretches of one monitor or component do not overlap; the open one lasts to the window's end. */
export const tally = (stretches: ReadonlyArray<Stretch<SpanState | EffectiveStatus>>, window: Window): Tally => {
  let { badMs, goodMs } = nothing
  for (const stretch of stretches) {
    const weight = weights[stretch.state]
    if (weight === "goodMs") goodMs += overlap(stretch, window)
    if (weight === "badMs") badMs += overlap(stretch, window)
  }
  return { goodMs, badMs }
}

/** In percent with three decimals, rounded down: only what was never down reads 100. */
const percent = (part: number, whole: number) => part >= whole ? 100 : Math.floor((part / whole) * 100_000) / 1000

/** Null when nothing was observed: no number is better than a guess. */
export const share = ({ badMs, goodMs }: Tally, window: Window): UptimeShare | null => {
  const observed = goodMs + badMs
  return observed <= 0
    ? null
    : { percent: percent(goodMs, observed), coveragePercent: percent(observed, window.to - window.from) }
}

/** The uptime of a window that ends at or before now. */
export const uptime = (
  stretches: ReadonlyArray<Stretch<SpanState | EffectiveStatus>>,
  window: Window
): UptimeShare | null => share(tally(stretches, window), window)
