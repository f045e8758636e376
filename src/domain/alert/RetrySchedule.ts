/** The schedule of retries of a failed delivery (Specification: Events, Retries). */
import { DateTime, Duration, Option } from "effect"

/** The wait between an attempt and the next one. When the last attempt fails, the delivery is dead. */
const waits = [
  Duration.seconds(30),
  Duration.minutes(2),
  Duration.minutes(10),
  Duration.minutes(30),
  Duration.hours(1),
  Duration.hours(3),
  Duration.hours(6)
] as const

/** 8: the first attempt and one after each wait. */
export const maxAttempts = waits.length + 1

/** The longest wait before an attempt. A row that is due later was written by a wrong clock. */
export const longestWait = waits[waits.length - 1] ?? Duration.zero

/** A longer `Retry-After` is ignored: the alert would arrive after the outage. */
const longestRetryAfter = Duration.hours(1)

/** The next attempt after `attempts` failed ones; none if none is left. A longer `retryAfter` of at most an hour replaces the wait. */
export const nextAttemptAt = (attempts: number, now: DateTime.Utc, retryAfter: Option.Option<Duration.Duration>) =>
  Option.fromNullable(waits[attempts - 1]).pipe(
    Option.map((scheduled) =>
      retryAfter.pipe(
        Option.filter((asked) => Duration.lessThanOrEqualTo(asked, longestRetryAfter)),
        Option.match({ onNone: () => scheduled, onSome: (asked) => Duration.max(asked, scheduled) })
      )
    ),
    Option.map((wait) => DateTime.addDuration(now, wait))
  )

/** The wait that `Retry-After` requests, in seconds or as a date (RFC 9110, section 10.2.3); none if it is malformed. */
export const parseRetryAfter = (value: string | undefined, now: DateTime.Utc): Option.Option<Duration.Duration> => {
  if (value === undefined) return Option.none()
  if (/^\d{1,9}$/.test(value.trim())) return Option.some(Duration.seconds(Number(value)))
  if (!value.endsWith(" GMT")) return Option.none()
  return Option.map(DateTime.make(Date.parse(value)), (at) => Duration.millis(Math.max(0, DateTime.distance(now, at))))
}
