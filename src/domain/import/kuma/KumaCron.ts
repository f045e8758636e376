/** Reads the cron schedules of Uptime Kuma. */

/** A weekday from Sunday, 0; of a month the first (1) to fifth, or the last (-1). Null for each one. */
interface CronDay {
  readonly weekday: number
  readonly nth: number | null
}

interface Cron {
  /** The times of a day at which it runs, in minutes since midnight and in order. */
  readonly minutes: ReadonlyArray<number>
  /** Days of the month, -1 for the last; null for all. */
  readonly dates: ReadonlyArray<number> | null
  /** From 1; null for all. */
  readonly months: ReadonlyArray<number> | null
  /** Null for all. */
  readonly days: ReadonlyArray<CronDay> | null
}

const weekdayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
const monthNames = ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

const numbered = (field: string, names: ReadonlyArray<string>): string =>
  field.replace(/[a-z]{3,}/g, (name) => {
    const index = names.indexOf(name)
    return index < 0 ? name : String(index)
  })

interface Range {
  readonly least: number
  readonly most: number
}

/** The numbers of a list of numbers, ranges and steps, such as 1-5,20 or *\/2, in order; null for anything else. */
const numbersIn = (field: string, { least, most }: Range): ReadonlyArray<number> | null => {
  const found = new Set<number>()
  for (const part of field.split(",")) {
    const [whole, from, to, step] = /^(?:[*?]|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part) ?? []
    if (whole === undefined) return null
    const first = Number(from ?? least)
    const last = to !== undefined ? Number(to) : from === undefined || step !== undefined ? most : first
    const by = Number(step ?? 1)
    if (by < 1 || first < least || last > most || first > last) return null
    for (let value = first; value <= last; value += by) found.add(value)
  }
  return [...found].sort((one, other) => one - other)
}

/** The days of a month that a field names: `L` is the last. */
const datesIn = (field: string): ReadonlyArray<number> | null => {
  const parts = field.split(",")
  const rest = parts.filter((part) => part !== "l").join(",")
  const dates = rest === "" ? [] : numbersIn(rest, { least: 1, most: 31 })
  return dates === null ? null : [...dates, ...(parts.includes("l") ? [-1] : [])]
}

/** `5#2` is the second Friday of a month, `5#L` and `5L` the last. 7 is Sunday, too, and a range may go over it. */
const daysIn = (field: string): ReadonlyArray<CronDay> | null => {
  const found: Array<CronDay> = []
  for (const part of numbered(field, weekdayNames).split(",")) {
    const [, weekday, nth] = /^([0-7])(?:#([1-5l])|l)$/.exec(part) ?? []
    if (weekday !== undefined) {
      found.push({ weekday: Number(weekday) % 7, nth: nth === undefined || nth === "l" ? -1 : Number(nth) })
      continue
    }
    const [, from, to, step = ""] = /^([0-7])-([0-7])(\/\d+)?$/.exec(part) ?? []
    const isOver = from !== undefined && Number(from) > Number(to)
    const days = isOver
      ? numbersIn(`${from}-${Number(to) + 7}${step}`, { least: 0, most: 14 })
      : numbersIn(part, { least: 0, most: 7 })
    if (days === null) return null
    found.push(...days.map((day) => ({ weekday: day % 7, nth: null })))
  }
  return found
}

const unlessAll = <A>(values: ReadonlyArray<A>, all: number): ReadonlyArray<A> | null => values.length >= all ? null : values

/** Five fields, or six with seconds first. Null for a text that is no such schedule. */
export const cronOf = (text: string): Cron | null => {
  const fields = text.trim().toLowerCase().split(/\s+/)
  if (fields.length !== 5 && fields.length !== 6) return null
  const [minute = "", hour = "", date = "", month = "", day = ""] = fields.slice(-5)
  const minutes = numbersIn(minute, { least: 0, most: 59 })
  const hours = numbersIn(hour, { least: 0, most: 23 })
  const months = numbersIn(numbered(month, monthNames), { least: 1, most: 12 })
  const [dates, days] = [datesIn(date), daysIn(day)]
  if (minutes === null || hours === null || months === null || dates === null || days === null) return null
  const wholeWeek = new Set(days.filter(({ nth }) => nth === null).map(({ weekday }) => weekday)).size === 7
  return {
    minutes: hours.flatMap((one) => minutes.map((past) => one * 60 + past)),
    dates: unlessAll(dates.filter((one) => one > 0), 31) === null ? null : dates,
    months: unlessAll(months, 12),
    days: wholeWeek ? null : days
  }
}
