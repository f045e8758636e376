/** What a clock in a time zone shows. */
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
