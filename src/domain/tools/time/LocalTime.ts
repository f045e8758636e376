/** Local days and clock times in a zone, right over clock changes. A local day is days since 1970, whatever the zone. */
import { DateTime } from "effect"
import { instantAt, offsetAt } from "./ZoneOffset.ts"

const dayMs = 86_400_000

/** The local day of a date, `YYYY-MM-DD`. */
export const dayOf = (date: string): number => DateTime.unsafeMake(`${date}T00:00:00Z`).epochMillis / dayMs

export const dateOf = (day: number): string => DateTime.formatIso(DateTime.unsafeMake(day * dayMs)).slice(0, 10)

/** 0 is Monday; 1970-01-01 was a Thursday. */
export const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7

/** Minutes since midnight of a time `HH:MM`. */
export const minutesOf = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(":").map(Number)
  return hours * 60 + minutes
}

export const localDay = (at: DateTime.Utc, timezone: string): number =>
  Math.floor((at.epochMillis + offsetAt(at.epochMillis, timezone)) / dayMs)

/** The instant of a local clock time, as `instantAt`. */
export const localTime = (day: number, minutes: number, timezone: string): DateTime.Utc =>
  DateTime.unsafeMake(instantAt(day * dayMs + minutes * 60_000, timezone))

/** The span of a local day from one clock time up to another, which is on the next day unless it is later. Both are `HH:MM`. */
export const clockSpan = (day: number, { from, to }: { readonly from: string; readonly to: string }, timezone: string) => {
  const [start, end] = [minutesOf(from), minutesOf(to)]
  return { start: localTime(day, start, timezone), end: localTime(end > start ? day : day + 1, end, timezone) }
}
