/** Windows of recurring maintenance, by RFC 5545, section 3.3.10. Days and the clock time of the first are those of its time zone. */
import { DateTime, Either, Option } from "effect"

const weekdays = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"] as const
type Weekday = (typeof weekdays)[number]

/** A weekday; of a month, the first (1) to fifth, or the last (-1) and so on. Null for each one. */
interface ByDay {
  readonly weekday: Weekday
  readonly nth: number | null
}

/** An instant; or, without a Z, what the clock of the rule's time zone shows then, as if it were UTC. */
interface Until {
  readonly isLocal: boolean
  readonly at: DateTime.Utc
}

export interface RecurrenceRule {
  readonly freq: "DAILY" | "WEEKLY" | "MONTHLY"
  readonly interval: number
  readonly byDay: ReadonlyArray<ByDay>
  /** Days of the month; negative ones count from its end. */
  readonly byMonthDay: ReadonlyArray<number>
  /** How many windows there are with the first one. */
  readonly count: number | null
  /** No window begins after it. */
  readonly until: Until | null
}

const freqs = ["DAILY", "WEEKLY", "MONTHLY"] as const
const known = ["FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "COUNT", "UNTIL", "WKST"]

const numberIn = (text: string | undefined, least: number, most: number): number | null =>
  text !== undefined && /^-?\d{1,4}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : null

const byDayOf = (text: string): ByDay | null => {
  const found = /^([+-]?\d)?(SU|MO|TU|WE|TH|FR|SA)$/.exec(text)
  const weekday = weekdays.find((one) => one === found?.[2])
  if (found === null || weekday === undefined) return null
  const nth = found[1] === undefined ? null : Number(found[1])
  return nth === 0 || (nth !== null && Math.abs(nth) > 5) ? null : { weekday, nth }
}

/** A date is that whole day. */
const untilOf = (text: string): Until | null => {
  const found = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z)?)?$/.exec(text)
  if (found === null) return null
  const [, year, month, day, hour = "23", minute = "59", second = "59", utc] = found
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const at = Option.getOrNull(DateTime.make(`${iso}.999Z`))
  // JavaScript takes the 31st of each month.
  return at === null || !DateTime.formatIso(at).startsWith(iso) ? null : { isLocal: utc === undefined, at }
}

/** The rule, or what is wrong with its text. */
export const parseRule = (text: string): Either.Either<RecurrenceRule, string> => {
  const parts = new Map(
    text.trim().replace(/^RRULE:/i, "").toUpperCase().split(";").filter((part) => part !== "").map((part) => {
      const equals = part.indexOf("=")
      return [part.slice(0, Math.max(equals, 0)), part.slice(equals + 1)] as const
    })
  )
  const foreign = [...parts.keys()].find((name) => !known.includes(name))
  if (foreign !== undefined) {
    return Either.left(`${foreign === "" ? "A part without a name" : foreign} is not supported. Use ${known.join(", ")}`)
  }
  const freq = freqs.find((one) => one === parts.get("FREQ"))
  if (freq === undefined) return Either.left("FREQ must be DAILY, WEEKLY or MONTHLY")
  if (parts.has("WKST") && parts.get("WKST") !== "MO") return Either.left("WKST must be MO")
  const interval = parts.has("INTERVAL") ? numberIn(parts.get("INTERVAL"), 1, 366) : 1
  if (interval === null) return Either.left("INTERVAL must be a whole number from 1 to 366")
  const byDay = (parts.get("BYDAY")?.split(",") ?? []).map(byDayOf)
  if (byDay.some((one) => one === null || (one.nth !== null && freq !== "MONTHLY"))) {
    return Either.left("BYDAY lists weekdays such as MO,TH; of a month also 1SU or -1FR")
  }
  const byMonthDay = (parts.get("BYMONTHDAY")?.split(",") ?? []).map((one) => numberIn(one, -31, 31))
  if (byMonthDay.some((one) => one === null || one === 0) || (byMonthDay.length > 0 && freq === "WEEKLY")) {
    return Either.left("BYMONTHDAY lists days from 1 to 31, or from -1 for the last; it does not go with WEEKLY")
  }
  const count = parts.has("COUNT") ? numberIn(parts.get("COUNT"), 1, 1000) : null
  const until = parts.has("UNTIL") ? untilOf(parts.get("UNTIL") ?? "") : null
  if ((parts.has("COUNT") && count === null) || (parts.has("UNTIL") && until === null)) {
    return Either.left("COUNT is a number up to 1000, UNTIL a date such as 20271231, or 20271231T220000 with a Z for UTC")
  }
  if (count !== null && until !== null) return Either.left("Use COUNT or UNTIL, not both")
  return Either.right({
    freq,
    interval,
    byDay: byDay.filter((one) => one !== null),
    byMonthDay: byMonthDay.filter((one) => one !== null),
    count,
    until
  })
}

interface Day {
  readonly year: number
  /** From 1. */
  readonly month: number
  readonly day: number
  /** Days since 1970. */
  readonly number: number
  readonly weekday: Weekday
}

const dayMs = 86_400_000

const dayAt = (number: number): Day => {
  const { day, month, year } = DateTime.toPartsUtc(DateTime.unsafeMake(number * dayMs))
  return { year, month, day, number, weekday: weekdays[(((number + 4) % 7) + 7) % 7] ?? "SU" }
}

const daysIn = ({ month, year }: Day): number =>
  DateTime.toPartsUtc(DateTime.subtract(DateTime.add(DateTime.unsafeMake({ year, month, day: 1 }), { months: 1 }), { days: 1 }))
    .day

const isNth = (day: Day, nth: number | null): boolean =>
  nth === null || (nth > 0 ? Math.ceil(day.day / 7) === nth : Math.ceil((daysIn(day) - day.day + 1) / 7) === -nth)

/** Weeks begin on Monday; 1970 began on a Thursday. */
const weekOf = ({ number }: Day): number => Math.floor((number + 3) / 7)

const isInInterval = ({ freq, interval }: RecurrenceRule, first: Day, day: Day): boolean => {
  if (freq === "DAILY") return (day.number - first.number) % interval === 0
  if (freq === "WEEKLY") return (weekOf(day) - weekOf(first)) % interval === 0
  return ((day.year - first.year) * 12 + day.month - first.month) % interval === 0
}

const isDay = (rule: RecurrenceRule, first: Day, day: Day): boolean => {
  const { byDay, byMonthDay, freq } = rule
  const onDay = byDay.length === 0 || byDay.some(({ nth, weekday }) => weekday === day.weekday && isNth(day, nth))
  const onDate = byMonthDay.length === 0 || byMonthDay.some((one) => one === (one > 0 ? day.day : day.day - daysIn(day) - 1))
  if (byDay.length > 0 || byMonthDay.length > 0) return onDay && onDate
  return freq === "DAILY" || (freq === "WEEKLY" ? day.weekday === first.weekday : day.day === first.day)
}

/** Days without a window after which a rule has none, such as on the 31st of February. Leap days are 8 years apart at most. */
const longestGap = ({ freq, interval }: RecurrenceRule): number =>
  366 * (freq === "MONTHLY" ? 10 + 8 * Math.floor(interval / 12) : 10)

/** The windows that begin after `after`, in order. The first window of all begins at `first`. */
export function* startsAfter(
  rule: RecurrenceRule,
  timeZone: DateTime.TimeZone,
  first: DateTime.Utc,
  after: DateTime.Utc
): Generator<DateTime.Utc, void> {
  const { day: firstDate, hours, millis, minutes, month, seconds, year } = DateTime.toParts(DateTime.setZone(first, timeZone))
  const firstDay = dayAt(DateTime.unsafeMake({ year, month, day: firstDate }).epochMillis / dayMs)
  const gap = longestGap(rule)
  const decisive = rule.until === null ? after : DateTime.min(after, rule.until.at)
  let number = 1
  for (let day = firstDay.number + 1, fitting = firstDay.number; day < fitting + gap; day++) {
    const candidate = dayAt(day)
    if (!isInInterval(rule, firstDay, candidate)) {
      if (rule.freq === "MONTHLY") day += daysIn(candidate) - candidate.day
      continue
    }
    if (!isDay(rule, firstDay, candidate)) continue
    fitting = day
    number += 1
    if (rule.count !== null && number > rule.count) return
    const clock = { year: candidate.year, month: candidate.month, day: candidate.day, hours, minutes, seconds, millis }
    const shown = DateTime.unsafeMake(clock)
    // Finding an instant takes 0.1 ms, and a series may have thousands of windows behind it. No clock is two days off.
    if (DateTime.lessThan(DateTime.add(shown, { days: 2 }), decisive)) continue
    const local = DateTime.makeZoned(clock, { timeZone, adjustForTimeZone: true })
    if (Option.isNone(local)) continue
    const at = DateTime.toUtc(local.value)
    const ended = rule.until !== null && DateTime.greaterThan(rule.until.isLocal ? shown : at, rule.until.at)
    if (ended) return
    if (DateTime.greaterThan(at, after)) yield at
  }
}

/** The first window that begins after `after`; none if there is none. The first window of all begins at `first`. */
export const nextStart = (rule: RecurrenceRule, timeZone: DateTime.TimeZone, first: DateTime.Utc, after: DateTime.Utc) =>
  Option.fromNullable(startsAfter(rule, timeZone, first, after).next().value ?? null)
