/** Converts the recurrence of an Uptime Kuma maintenance to our rule. */
import { Either } from "effect"
import { minutesOf } from "../../tools/time/LocalTime.ts"
import { entryOf, jsonAt, listOf, type Loose, numberAt, textAt } from "../Loose.ts"
import { cronOf } from "./KumaCron.ts"

export interface KumaSeries {
  /** Without its end. */
  readonly rule: string
  /** Days between windows, for a rule that counts them; 1 for all others. */
  readonly interval: number
  /** Minutes of the local start since midnight. */
  readonly minutes: number
  readonly lengthSec: number
}

type Rule = Pick<KumaSeries, "rule" | "interval">

const daySec = 86_400

const longestSec = 366 * daySec

/** Kuma counts from Sunday; 7 is Sunday, too. */
const weekdays = ["SU", "MO", "TU", "WE", "TH", "FR", "SA", "SU"]

const clockOf = (window: Loose, name: string): number | null => {
  const text = textAt(window, name)
  return text !== null && /^([01]?\d|2[0-3]):[0-5]\d(:\d{2})?$/.test(text) ? minutesOf(text) : null
}

const everyDay: Rule = { rule: "FREQ=DAILY", interval: 1 }

const onWeekdays = (days: ReadonlyArray<string>): Rule => ({ rule: `FREQ=WEEKLY;BYDAY=${days.join(",")}`, interval: 1 })

const onDates = (dates: ReadonlyArray<number>): Rule => ({ rule: `FREQ=MONTHLY;BYMONTHDAY=${dates.join(",")}`, interval: 1 })

const unique = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(values)]

/** A day of the month; the last ones are negative. */
const dateOf = (day: unknown): ReadonlyArray<number> => {
  const last = typeof day === "string" ? /^lastDay([1-9])$/.exec(day)?.[1] : undefined
  const date = last === undefined ? Number(day) : -Number(last)
  return Number.isInteger(date) && date !== 0 && date <= 31 ? [date] : []
}

const isAny = (field: string | undefined): boolean => field === "*" || field === "?"

/** A schedule of one clock time a day. Of dates and weekdays, cron takes either and a rule both, so only one may be given. */
const cronRule = (text: string): Omit<KumaSeries, "lengthSec"> | null => {
  const fields = text.split(/\s+/)
  const [, , date, , day] = fields.slice(-5)
  const cron = (fields.length === 6 && fields[0] !== "0") || !(isAny(date) || isAny(day)) ? null : cronOf(text)
  const [minutes, ...others] = cron?.minutes ?? []
  if (cron === null || cron.months !== null || minutes === undefined || others.length > 0) return null
  const days = cron.days?.map(({ nth, weekday }) => `${nth ?? ""}${weekdays[weekday] ?? "SU"}`)
  const isNth = cron.days?.some(({ nth }) => nth !== null) === true
  const rule = cron.dates !== null
    ? onDates(cron.dates)
    : days === undefined
    ? everyDay
    : isNth
    ? { rule: `FREQ=MONTHLY;BYDAY=${days.join(",")}`, interval: 1 }
    : onWeekdays(unique(days))
  return { ...rule, minutes }
}

/** The windows of most strategies go from one clock time to another. */
const clocked = (ruleOf: (window: Loose) => Rule | null) => (window: Loose): Either.Either<KumaSeries, string> => {
  const [start, end] = [clockOf(window, "start_time"), clockOf(window, "end_time")]
  const rule = ruleOf(window)
  if (start === null || end === null || rule === null) return Either.left("its times cannot be read")
  if (start === end) return Either.left("it has no length")
  return Either.right({ ...rule, minutes: start, lengthSec: ((end - start) * 60 + daySec) % daySec })
}

const series: Readonly<Record<string, (window: Loose) => Either.Either<KumaSeries, string>>> = {
  "recurring-interval": clocked((window) => {
    const interval = numberAt(window, "interval_day")
    if (interval === null || !Number.isInteger(interval) || interval < 1 || interval > 366) return null
    return interval === 1 ? everyDay : { rule: `FREQ=DAILY;INTERVAL=${interval}`, interval }
  }),
  "recurring-weekday": clocked((window) => {
    const days = unique(listOf(jsonAt(window, "weekdays")).flatMap((day) => weekdays[Number(day)] ?? []))
    return days.length === 0 ? null : onWeekdays(days)
  }),
  "recurring-day-of-month": clocked((window) => {
    const dates = unique(listOf(jsonAt(window, "days_of_month")).flatMap(dateOf))
    return dates.length === 0 ? null : onDates(dates)
  }),
  cron: (window) => {
    const cron = textAt(window, "cron") ?? ""
    const rule = cronRule(cron)
    const lengthSec = Math.round(numberAt(window, "duration") ?? 0)
    if (rule === null) return Either.left(`no recurrence rule says what its schedule "${cron}" says`)
    if (lengthSec < 1) return Either.left("it has no length")
    return lengthSec > longestSec ? Either.left("it lasts more than a year") : Either.right({ ...rule, lengthSec })
  }
}

/** Null for a maintenance that does not come again; the text says why a series cannot be carried. */
export const kumaSeries = (window: Loose): Either.Either<KumaSeries, string> | null =>
  entryOf(series, textAt(window, "strategy") ?? "")?.(window) ?? null
