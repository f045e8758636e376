/** Merges the histories of a component's monitors into the component's history. */
import type { Aggregate, EffectiveStatus } from "../../../schema/component/Component.ts"
import { monitoredStatus } from "../component/ComponentStatus.ts"
import type { Span, SpanState, Stretch, Window } from "../monitor/Uptime.ts"

interface Border {
  readonly at: number
  readonly monitor: number
  readonly state: SpanState
}

/** The state changes of a monitor within the window, in order; between its spans the monitor is unobserved. */
const bordersOf = (spans: ReadonlyArray<Span>, monitor: number, window: Window): ReadonlyArray<Border> => {
  const borders: Array<Border> = []
  let end = window.from
  for (const span of [...spans].sort((a, b) => a.startedAt - b.startedAt)) {
    const from = Math.max(span.startedAt, end)
    const to = Math.min(span.endedAt ?? window.to, window.to)
    if (to <= from) continue
    if (from > end) borders.push({ at: end, monitor, state: "unobserved" })
    borders.push({ at: from, monitor, state: span.state })
    end = to
  }
  if (end < window.to) borders.push({ at: end, monitor, state: "unobserved" })
  return borders
}

/**
 * The statuses of a component over the window, ordered and without gaps, from the spans of each of its monitors. If spans of
 * one monitor overlap, the earlier one applies.
 */
export const timeline = (
  aggregate: Aggregate,
  monitors: ReadonlyArray<ReadonlyArray<Span>>,
  window: Window
): ReadonlyArray<Stretch<EffectiveStatus>> => {
  const borders = monitors.flatMap((spans, monitor) => bordersOf(spans, monitor, window)).sort((a, b) => a.at - b.at)
  const states = monitors.map((): SpanState => "unobserved")
  const stretches: Array<{ state: EffectiveStatus; startedAt: number; endedAt: number }> = []
  borders.forEach((border, index) => {
    states[border.monitor] = border.state
    const endedAt = borders[index + 1]?.at ?? window.to
    if (endedAt <= border.at) return
    const state = monitoredStatus(aggregate, states)
    const last = stretches.at(-1)
    if (last?.state === state) last.endedAt = endedAt
    else stretches.push({ state, startedAt: border.at, endedAt })
  })
  return stretches
}
