/** The times at which one layer of a rotation has people on call: its turns, within its hours and its bounds. */
import { Array, DateTime, Order } from "effect"
import type { OnCallHours } from "../../../schema/oncall/Rotation.ts"
import { clockSpan, localDay, weekdayOf } from "../tools/time/LocalTime.ts"
import { type LayerSettings, type Turn, turnsBetween } from "./Rotation.ts"

/** A time from `start` up to `end`. */
export interface Span {
  readonly start: DateTime.Utc
  readonly end: DateTime.Utc
}

/** A time in which the people of one turn are on call. */
export interface LayerTime extends Span {
  readonly turn: Turn
}

export const isSpan = ({ end, start }: Span): boolean => DateTime.lessThan(start, end)

export const overlap = (one: Span, other: Span): boolean =>
  DateTime.lessThan(one.start, other.end) && DateTime.lessThan(other.start, one.end)

export const covers = ({ end, start }: Span, at: DateTime.Utc): boolean =>
  DateTime.lessThanOrEqualTo(start, at) && DateTime.greaterThan(end, at)

const within = (one: Span, other: Span): Span => ({
  start: DateTime.max(one.start, other.start),
  end: DateTime.min(one.end, other.end)
})

const byStart = Order.mapInput(DateTime.Order, ({ start }: Span) => start)

/** Joins spans that overlap or follow each other. */
export const joined = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  for (const span of Array.sort(spans, byStart)) {
    const last = found.at(-1)
    if (last === undefined || DateTime.lessThan(last.end, span.start)) found.push(span)
    else found[found.length - 1] = { start: last.start, end: DateTime.max(last.end, span.end) }
  }
  return found
}

/** The hours that begin on the local days of a span, from the day before it. A clock change makes them shorter, longer or none. */
const hoursIn = (hours: ReadonlyArray<OnCallHours>, { end, start }: Span, timezone: string): ReadonlyArray<Span> => {
  const first = localDay(start, timezone) - 1
  const days = Array.makeBy(localDay(end, timezone) - first + 1, (at) => first + at)
  return joined(
    days.flatMap((day) =>
      hours.filter(({ days }) => days.includes(weekdayOf(day))).map((one) => clockSpan(day, one, timezone)).filter(isSpan)
    )
  )
}

/** The times of a layer that overlap the time from `from` up to `to`, in order, each whole. */
export const layerTimes = (
  layer: LayerSettings,
  timezone: string,
  from: DateTime.Utc,
  to: DateTime.Utc
): ReadonlyArray<LayerTime> => {
  const { activeFrom = null, activeUntil = null, hours = [] } = layer
  const turns = turnsBetween(layer, timezone, from, to)
  const whole = { start: turns[0].start, end: Array.lastNonEmpty(turns).end }
  const open = hours.length === 0 ? [whole] : hoursIn(hours, whole, timezone)
  const bounds = { start: activeFrom ?? whole.start, end: activeUntil ?? whole.end }
  let next = 0
  return turns.flatMap((turn) => {
    while (next < open.length && DateTime.lessThanOrEqualTo(open[next]?.end ?? turn.end, turn.start)) next++
    const times: Array<LayerTime> = []
    for (let at = next; at < open.length; at++) {
      const span = open[at] ?? whole
      if (DateTime.greaterThanOrEqualTo(span.start, turn.end)) break
      const time = within(within(span, turn), bounds)
      if (isSpan(time)) times.push({ ...time, turn })
    }
    return times
  }).filter((time) => overlap(time, { start: from, end: to }) || covers(time, from))
}
