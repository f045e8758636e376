/** The week of a digest, and when the digest is due. */
import { DateTime } from "effect"
import { dateOf, localDay, localTime, weekdayOf } from "../tools/time/LocalTime.ts"
import { instantAt, offsetAt } from "../tools/time/ZoneOffset.ts"

export interface Period {
  readonly from: DateTime.Utc
  readonly to: DateTime.Utc
}

const weekMs = 7 * 86_400_000

/** Minutes since midnight: 08:00. */
const sendTime = 8 * 60

export const digestWeek = (now: DateTime.Utc, timezone: string) => {
  const today = localDay(now, timezone)
  const monday = today - weekdayOf(today)
  const last = DateTime.lessThanOrEqualTo(localTime(monday, sendTime, timezone), now) ? monday : monday - 7
  return {
    /** The Monday on which it is due, `YYYY-MM-DD`. */
    week: dateOf(last),
    /** Monday 08:00 in the zone; the last one that has passed. */
    dueAt: localTime(last, sendTime, timezone),
    nextAt: localTime(last + 7, sendTime, timezone),
    /** The full week before `dueAt`, from Monday 00:00 to Monday 00:00. */
    period: { from: localTime(last - 7, 0, timezone), to: localTime(last, 0, timezone) }
  }
}

/** The 7 local days before a period. */
export const periodBefore = ({ from }: Period, timezone: string): Period => {
  const clock = from.epochMillis + offsetAt(from.epochMillis, timezone)
  return { from: DateTime.unsafeMake(instantAt(clock - weekMs, timezone)), to: from }
}
