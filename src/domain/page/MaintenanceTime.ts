/** Takes the time of maintenance windows out of a component's history, so that planned work costs no uptime. */
import type { EffectiveStatus } from "../../../schema/component/Component.ts"
import type { Stretch, Window } from "../monitor/Uptime.ts"

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

/** The parts of a stretch outside the windows, which are in order. */
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
