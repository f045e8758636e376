/** The uptime bars of a status page: one per calendar day in the page's time zone. */
import { DateTime } from "effect"
import type { EffectiveStatus } from "../../../schema/component/Component.ts"
import { worstOfDay } from "../component/ComponentStatus.ts"
import { overlap, share, type Stretch, tally, type Window } from "../monitor/Uptime.ts"

/** A calendar day; 23 or 25 hours long when daylight saving time changes. */
export interface Day extends Window {
  /** YYYY-MM-DD */
  readonly date: string
}

/** The last `count` days, oldest first; today ends at `now`. */
export const lastDays = (now: DateTime.Utc, zone: DateTime.TimeZone, count: number): ReadonlyArray<Day> => {
  const today = DateTime.toParts(DateTime.setZone(now, zone))
  // Local midnight; if the clocks skip it, the day begins an hour later.
  const midnight = (offset: number) => {
    const day = DateTime.unsafeMake({ year: today.year, month: today.month, day: today.day + offset })
    const { day: date, month, year } = DateTime.toParts(day)
    return {
      date: DateTime.formatIsoDateUtc(day),
      at: DateTime.toEpochMillis(
        DateTime.unsafeMakeZoned({ year, month, day: date }, {
          timeZone: zone,
          adjustForTimeZone: true,
          disambiguation: "compatible"
        })
      )
    }
  }
  const borders = Array.from({ length: count }, (_, index) => midnight(index + 1 - count))
  return borders.map(({ at, date }, index) => ({
    date,
    from: at,
    to: borders[index + 1]?.at ?? DateTime.toEpochMillis(now)
  }))
}

/** The uptime and worst status of each day. `stretches` must be ordered and must not overlap. */
export const uptimeDays = (stretches: ReadonlyArray<Stretch<EffectiveStatus>>, days: ReadonlyArray<Day>) => {
  let first = 0
  return days.map((day) => {
    // Both lists are ordered, so each stretch is visited only for the days it covers.
    while ((stretches[first]?.endedAt ?? Infinity) <= day.from) first++
    let last = first
    while ((stretches[last]?.startedAt ?? Infinity) < day.to) last++
    const within = stretches.slice(first, last).filter((stretch) => overlap(stretch, day) > 0)
    const sums = tally(within, day)
    return {
      date: day.date,
      uptimePercent: share(sums, day)?.percent ?? null,
      status: worstOfDay(within.map((stretch) => stretch.state)),
      downSeconds: Math.round(sums.badMs / 1000)
    }
  })
}
