/**
 * The clocks of time zones. Their offsets from UTC are found once a day and zone: asking the runtime takes 10 µs or more, and
 * calendars ask thousands.
 */
import { keeping } from "./KeptFormats.ts"

const dayMs = 86_400_000

const kept = keeping<Intl.DateTimeFormat>()

const formatOf = (timeZone: string): Intl.DateTimeFormat =>
  kept(timeZone, () =>
    new Intl.DateTimeFormat("en-CA", {
      timeZone,
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
      hourCycle: "h23"
    }))

/** The offset at an instant in milliseconds, as the runtime knows it. */
const askedAt = (at: number, timezone: string): number => {
  const whole = Math.floor(at / 1000) * 1000
  const parts = new Map(formatOf(timezone).formatToParts(whole).map(({ type, value }) => [type, value]))
  const part = (name: Intl.DateTimeFormatPartTypes): number => Number(parts.get(name))
  const year = parts.get("era")?.startsWith("B") === true ? 1 - part("year") : part("year")
  const wall = new Date(0)
  wall.setUTCFullYear(year, part("month") - 1, part("day"))
  return wall.setUTCHours(part("hour"), part("minute"), part("second")) - whole
}

/** The offsets at the start and the end of a UTC day, and the instant at which the second one begins. */
interface Day {
  readonly before: number
  readonly after: number
  readonly change: number
}

const changeWithin = (start: number, before: number, timezone: string): number => {
  let [low, high] = [start, start + dayMs]
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000
    if (askedAt(middle, timezone) === before) low = middle
    else high = middle
  }
  return high
}

const days = new Map<string, Day>()
/** About 3 MB: 60 years of one zone, or three months of each. */
const mostDays = 20_000

/** No zone has changed its offset twice in one UTC day since 1970. */
const dayAt = (day: number, timezone: string): Day => {
  const key = `${day} ${timezone}`
  const known = days.get(key)
  if (known !== undefined) return known
  const start = day * dayMs
  const before = days.get(`${day - 1} ${timezone}`)?.after ?? askedAt(start, timezone)
  const after = askedAt(start + dayMs, timezone)
  const found = { before, after, change: before === after ? start : changeWithin(start, before, timezone) }
  if (days.size >= mostDays) days.clear()
  days.set(key, found)
  return found
}

/** The offset of a zone at an instant, both in milliseconds; positive east of Greenwich. */
export const offsetAt = (at: number, timezone: string): number => {
  const { after, before, change } = dayAt(Math.floor(at / dayMs), timezone)
  return at < change ? before : after
}

/**
 * The instant at which a clock in a zone shows a local time, given as if it were UTC; both in ms. A skipped time is later by what was
 * skipped; of a repeated one, the first (RFC 5545).
 */
export const instantAt = (shown: number, timezone: string): number => {
  // Offsets reach from -12 to 14 hours, so that these are the ones before and after a change near the time.
  const [before, after] = [offsetAt(shown - dayMs, timezone), offsetAt(shown + dayMs, timezone)]
  if (before === after) return shown - before
  const exact = [before, after].map((offset) => shown - offset).filter((at) => at + offsetAt(at, timezone) === shown)
  return exact.length === 0 ? shown - before : Math.min(...exact)
}
