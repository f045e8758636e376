/** Uptime as a share of observed time: weighted by time, not by the number of checks. */
import type { EffectiveStatus } from "../../../schema/component/Component.ts"
import type { MonitorState, UptimeShare } from "../../../schema/monitor/Monitor.ts"

/** A monitor's state over a period, or `unobserved` if no probe checked it. */
export type SpanState = MonitorState | "unobserved"

/** A period in one condition, ms since 1970; the current one has no end. */
export interface Stretch<Condition> {
  readonly state: Condition
  readonly startedAt: number
  readonly endedAt: number | null
}

/** A period in which a monitor kept one state. */
export type Span = Stretch<SpanState>

/** A half-open interval: includes `from`, excludes `to`. Milliseconds since 1970. */
export interface Window {
  readonly from: number
  readonly to: number
}

/** Observed milliseconds in a window; tallies of adjoining windows can be added. */
export interface Tally {
  readonly goodMs: number
  readonly badMs: number
}

export const nothing: Tally = { goodMs: 0, badMs: 0 }

/** A component in partial outage still serves users, so only a major outage counts as downtime. */
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

/** Which of the two sums time in this state belongs to; null for neither. */
export const weightOf = (state: SpanState | EffectiveStatus): keyof Tally | null => weights[state]

/** The part of a stretch inside the window, ms. */
export const overlap = (stretch: Stretch<unknown>, window: Window): number =>
  Math.max(0, Math.min(stretch.endedAt ?? window.to, window.to) - Math.max(stretch.startedAt, window.from))

/** Sums the window. Stretches of one monitor or component do not overlap; an open one lasts to the window's end. */
export const tally = (stretches: ReadonlyArray<Stretch<SpanState | EffectiveStatus>>, window: Window): Tally => {
  let { badMs, goodMs } = nothing
  for (const stretch of stretches) {
    const weight = weights[stretch.state]
    if (weight === "goodMs") goodMs += overlap(stretch, window)
    if (weight === "badMs") badMs += overlap(stretch, window)
  }
  return { goodMs, badMs }
}

/** In percent with three decimals, rounded down: 100 means no downtime at all. */
export const percent = (part: number, whole: number) => part >= whole ? 100 : Math.floor((part / whole) * 100_000) / 1000

/** Null if nothing was observed, because any number would be a guess. */
export const share = ({ badMs, goodMs }: Tally, window: Window): UptimeShare | null => {
  const observed = goodMs + badMs
  return observed <= 0
    ? null
    : { percent: percent(goodMs, observed), coveragePercent: percent(observed, window.to - window.from) }
}

export const uptime = (
  stretches: ReadonlyArray<Stretch<SpanState | EffectiveStatus>>,
  window: Window
): UptimeShare | null => share(tally(stretches, window), window)
