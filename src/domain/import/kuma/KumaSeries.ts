/** Converts the recurrence of an Uptime Kuma maintenance to our rule. */
import { Either } from "effect"
import { minutesOf } from "../../tools/LocalTime.ts"
import { entryOf, jsonAt, listOf, type Loose, numberAt, textAt } from "../Loose.ts"

export interface KumaSeries {
  /** Without its end. */
  readonly rule: string
  /** Days between windows, for a rule that counts them; 1 for all others. */
  readonly interval: number
  /** Of the local start, since midnight. */
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

/** The numbers of a list of numbers, ranges and steps, such as 1-5,20 or *\/2; null for anything else. */
const numbersIn = (field: string, least: number, most: number): ReadonlyArray<number> | null => {
  const found: Array<number> = []
  for (const part of field.split(",")) {
    const [whole, from, to, step] = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part) ?? []
    if (whole === undefined) return null
    const first = Number(from ?? least)
    const last = to !== undefined ? Number(to) : from === undefined || step !== undefined ? most : first
    const by = Number(step ?? 1)
    if (by < 1 || first < least || last > most || first > last) return null
    for (let value = first; value <= last; value += by) found.push(value)
  }
  return unique(found)
}

const numbered = (field: string): string =>
  field.toUpperCase().replace(/SUN|MON|TUE|WED|THU|FRI|SAT/g, (name) => String(weekdays.indexOf(name.slice(0, 2))))

/** `5#2` is the second Friday of a month, `5#L` the last. */
const nthOf = (field: string): ReadonlyArray<string> | null => {
  const found = field.split(",").map((part) => /^([0-7])#([1-5L])$/.exec(part))
  return found.some((one) => one === null)
    ? null
    : found.map((one) => `${one?.[2] === "L" ? "-1" : one?.[2]}${weekdays[Number(one?.[1])]}`)
}

const isAny = (field: string): boolean => field === "*" || field === "?"

const weekdayRule = (field: string): Rule | null => {
  const nth = nthOf(numbered(field))
  if (nth !== null) return { rule: `FREQ=MONTHLY;BYDAY=${nth.join(",")}`, interval: 1 }
  const days = numbersIn(numbered(field), 0, 7)
  return days === null ? null : onWeekdays(unique(days.map((day) => weekdays[day] ?? "SU")))
}

const dateRule = (field: string): Rule | null => {
  const parts = field.toUpperCase().split(",")
  const dates = parts.filter((part) => part !== "L").join(",")
  const numbers = dates === "" ? [] : numbersIn(dates, 1, 31)
  return numbers === null ? null : onDates([...numbers, ...(parts.includes("L") ? [-1] : [])])
}

/** A schedule of one clock time a day. Of dates and weekdays, cron takes either and a rule both, so only one may be given. */
const cronRule = (cron: string): Omit<KumaSeries, "lengthSec"> | null => {
  const fields = cron.split(/\s+/)
  const [minute = "", hour = "", dates = "", months, days = ""] = fields.length === 6 && fields[0] === "0"
    ? fields.slice(1)
    : fields
  if (![5, 6].includes(fields.length) || (fields.length === 6 && fields[0] !== "0") || months !== "*") return null
  if (!/^[0-5]?\d$/.test(minute) || !/^([01]?\d|2[0-3])$/.test(hour)) return null
  const rule = isAny(days) ? isAny(dates) ? everyDay : dateRule(dates) : isAny(dates) ? weekdayRule(days) : null
  return rule === null ? null : { ...rule, minutes: Number(hour) * 60 + Number(minute) }
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
