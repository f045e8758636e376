/** The history of a component: that of its monitors together, without maintenance, so that planned work costs no uptime. */
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

/** The statuses of a component over the window, ordered and without gaps. Of overlapping spans of a monitor the earlier one applies. */
export const timeline = (aggregate: Aggregate, monitors: ReadonlyArray<ReadonlyArray<Span>>, window: Window) => {
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

type History = ReadonlyArray<Stretch<EffectiveStatus>>

/** The windows in order, each merged with those that it overlaps; empty ones are dropped. */
const merged = (windows: ReadonlyArray<Window>): ReadonlyArray<Window> => {
  const result: Array<{ from: number; to: number }> = []
  for (const { from, to } of [...windows].sort((a, b) => a.from - b.from)) {
    if (to <= from) continue
    const last = result.at(-1)
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to)
    else result.push({ from, to })
  }
  return result
}

const outside = (stretch: Stretch<EffectiveStatus>, windows: ReadonlyArray<Window>): History => {
  const parts: Array<Stretch<EffectiveStatus>> = []
  let start = stretch.startedAt
  const end = stretch.endedAt ?? Infinity
  for (const { from, to } of windows) {
    if (to <= start) continue
    if (from >= end) break
    if (from > start) parts.push({ ...stretch, startedAt: start, endedAt: from })
    start = to
  }
  return start < end ? [...parts, { ...stretch, startedAt: start }] : parts
}

/** The history in order, with the status `maintenance` within the windows. */
export const withMaintenance = (history: History, windows: ReadonlyArray<Window>): History => {
  const planned = merged(windows)
  if (planned.length === 0) return history
  return [
    ...history.flatMap((stretch) => outside(stretch, planned)),
    ...planned.map(({ from, to }) => ({ state: "maintenance" as const, startedAt: from, endedAt: to }))
  ].sort((a, b) => a.startedAt - b.startedAt)
}
