/** Local days and clock times in a zone, right over clock changes. A local day is days since 1970, whatever the zone. */
import { DateTime } from "effect"

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

export const localDay = (at: DateTime.Utc, timezone: string): number => {
  const { day, month, year } = DateTime.toParts(DateTime.unsafeSetZoneNamed(at, timezone))
  return Date.UTC(year, month - 1, day) / dayMs
}

/** Instants of clock times, found before: finding one takes 0.1 ms, and hand-offs of schedules are asked for again and again. */
const found = new Map<string, DateTime.Utc>()
const mostFound = 5000

/** The instant of a local clock time. A skipped one is later by what was skipped; of a repeated one, the first (RFC 5545). */
export const localTime = (day: number, minutes: number, timezone: string): DateTime.Utc => {
  const key = `${day} ${minutes} ${timezone}`
  const known = found.get(key)
  if (known !== undefined) return known
  const instant = DateTime.toUtc(
    DateTime.unsafeMakeZoned(day * dayMs + minutes * 60_000, {
      timeZone: timezone,
      adjustForTimeZone: true,
      disambiguation: "compatible"
    })
  )
  if (found.size >= mostFound) found.clear()
  found.set(key, instant)
  return instant
}
