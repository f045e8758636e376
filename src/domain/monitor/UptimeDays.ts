/** The uptime of a monitor by the days of a time zone. */
import { DateTime } from "effect"
import { instant } from "../../../schema/Fields.ts"
import type { MonitorUptime } from "../../../schema/monitor/MonitorUptime.ts"
import { share, type Tally } from "./Uptime.ts"

export interface DayStart {
  /** `2026-11-22`. */
  readonly date: string
  /** ms since 1970. */
  readonly at: number
}

/** The starts of the last `count` days of a zone, oldest first, the last of which is that of today. */
export const dayStarts = (now: DateTime.Utc, timezone: string, count: number): ReadonlyArray<DayStart> => {
  const today = DateTime.startOf(DateTime.unsafeMakeZoned(now, { timeZone: timezone }), "day")
  return Array.from({ length: count }, (_, index) => {
    // The start of the day again: a clock may skip a midnight.
    const day = DateTime.startOf(DateTime.subtract(today, { days: count - 1 - index }), "day")
    return { date: DateTime.formatIsoDate(day), at: day.epochMillis }
  })
}

/** `tallies` are those from each start to the next, and from the last to `now` (ms). */
export const uptimeDays = (starts: ReadonlyArray<DayStart>, tallies: ReadonlyArray<Tally>, now: number): MonitorUptime["days"] =>
  starts.map(({ at, date }, index) => {
    const { badMs, goodMs } = tallies[index] ?? { goodMs: 0, badMs: 0 }
    return {
      date,
      from: instant(at),
      uptime: share({ goodMs, badMs }, { from: at, to: starts[index + 1]?.at ?? now }),
      downSec: Math.round(badMs / 1000)
    }
  })
