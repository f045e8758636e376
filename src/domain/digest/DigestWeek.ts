/** When the weekly digest of a workspace is due, and which week it is about. */
import { DateTime } from "effect"
import { dateOf, localDay, localTime, weekdayOf } from "../tools/LocalTime.ts"

export interface Period {
  readonly from: DateTime.Utc
  readonly to: DateTime.Utc
}

export interface DigestWeek {
  /** The Monday on which it is due, `YYYY-MM-DD`. */
  readonly week: string
  /** Monday 08:00 in the zone; the last one that has passed. */
  readonly dueAt: DateTime.Utc
  /** The Monday 08:00 after that. */
  readonly nextAt: DateTime.Utc
  /** The full week before `dueAt`, from Monday 00:00 to Monday 00:00. */
  readonly period: Period
}

/** Minutes since midnight: 08:00. */
const sendTime = 8 * 60

/** The digest that was due last at `now`. */
export const digestWeek = (now: DateTime.Utc, timezone: string): DigestWeek => {
  const today = localDay(now, timezone)
  const monday = today - weekdayOf(today)
  const last = DateTime.lessThanOrEqualTo(localTime(monday, sendTime, timezone), now) ? monday : monday - 7
  return {
    week: dateOf(last),
    dueAt: localTime(last, sendTime, timezone),
    nextAt: localTime(last + 7, sendTime, timezone),
    period: { from: localTime(last - 7, 0, timezone), to: localTime(last, 0, timezone) }
  }
}

export const periodBefore = ({ from, to }: Period): Period => ({
  from: DateTime.subtract(from, { millis: DateTime.distance(from, to) }),
  to: from
})
