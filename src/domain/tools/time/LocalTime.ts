/** Local days and clock times in a zone, right over clock changes. A local day is days since 1970, whatever the zone. */
import { DateTime } from "effect"
import { offsetAt } from "./ZoneOffset.ts"

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

/** The instant of a local clock time. A skipped one is later by what was skipped; of a repeated one, the first (RFC 5545). */
export const localTime = (day: number, minutes: number, timezone: string): DateTime.Utc => {
  const wall = day * dayMs + minutes * 60_000
  // Offsets reach from -12 to 14 hours, so that these are the ones before and after a change near the time.
  const [before, after] = [offsetAt(wall - dayMs, timezone), offsetAt(wall + dayMs, timezone)]
  if (before === after) return DateTime.unsafeMake(wall - before)
  const shown = [before, after].map((offset) => wall - offset).filter((at) => at + offsetAt(at, timezone) === wall)
  return DateTime.unsafeMake(shown.length === 0 ? wall - before : Math.min(...shown))
}

/** The span of a local day from one clock time up to another, which is on the next day unless it is later. Both are `HH:MM`. */
export const clockSpan = (day: number, { from, to }: { readonly from: string; readonly to: string }, timezone: string) => {
  const [start, end] = [minutesOf(from), minutesOf(to)]
  return { start: localTime(day, start, timezone), end: localTime(end > start ? day : day + 1, end, timezone) }
}
