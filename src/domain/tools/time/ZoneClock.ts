/** The time that a clock in a time zone shows. */
import { keeping } from "./KeptFormats.ts"

const kept = keeping<Intl.DateTimeFormat>()

const clockIn = (zone: string): Intl.DateTimeFormat =>
  kept(zone, () =>
    new Intl.DateTimeFormat("en-u-ca-iso8601", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit"
    }))

/** The local time of an instant in a zone, as if it were UTC; both in ms. */
export const clockAt = (instant: number, zone: string): number => {
  const parts = clockIn(zone).formatToParts(instant)
  const part = (type: string) => Number(parts.find((given) => given.type === type)?.value ?? 0)
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"))
}

const day = 86_400_000

/** The instants at which a clock shows a local time: none if it skips it, two if it shows it twice. */
const instantsOf = (shown: number, zone: string) => {
  const offsets = [shown - day, shown + day].map((near) => clockAt(near, zone) - near)
  const near = offsets.map((offset) => shown - offset)
  return { near, exact: near.filter((instant) => clockAt(instant, zone) === shown) }
}

/**
 * The first instant at which a clock in a zone shows a local time, given as if it were UTC; a time that it skips is moved by the skip. All
 * in ms.
 */
export const movedInstantAt = (shown: number, zone: string): number => {
  const { exact, near } = instantsOf(shown, zone)
  return exact.length > 0 ? Math.min(...exact) : near[0] ?? shown
}
