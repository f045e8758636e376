/** Says a schedule in words where it is a common one, such as "every day at 02:30". */
import { tidied, type Written } from "./Schedule.ts"

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

const nicknames: ReadonlyMap<string, string> = new Map([
  ["@hourly", "0 * * * *"],
  ["hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["daily", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["weekly", "0 0 * * 1"],
  ["@monthly", "0 0 1 * *"],
  ["monthly", "0 0 1 * *"]
])

const two = (text: string): string => text.padStart(2, "0")

/** The number of a field that has one alone; null for others. */
const only = (field: string, most: number): number | null =>
  /^\d{1,2}$/.test(field) && Number(field) <= most ? Number(field) : null

const everyOf = (field: string, unit: string): string | null => {
  const [, step] = /^\*\/(\d{1,2})$/.exec(field) ?? []
  return field === "*" ? `every ${unit}` : step === undefined ? null : step === "1" ? `every ${unit}` : `every ${step} ${unit}s`
}

/** The times of a day. */
const timesIn = (minute: string, hour: string): string | null => {
  const past = only(minute, 59)
  const hours = hour.split(",").map((one) => only(one, 23))
  if (past !== null && !hours.includes(null)) {
    return `at ${hours.map((one) => `${two(String(one))}:${two(String(past))}`).join(", ")}`
  }
  if (hour === "*") return past === null ? everyOf(minute, "minute") : past === 0 ? "every hour" : `every hour at :${two(minute)}`
  const often = everyOf(hour, "hour")
  return past === null || often === null ? null : past === 0 ? often : `${often} at :${two(minute)}`
}

const listed = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`

/** The days on which it runs; an empty text for each day. */
const daysIn = (date: string, day: string): string | null => {
  if (date === "*" && (day === "*" || day === "?")) return ""
  if (day !== "*" && day !== "?") {
    if (date !== "*" && date !== "?") return null
    if (/^(?:1-5|mon-fri)$/i.test(day)) return "on weekdays"
    if (/^(?:0,6|6,0|6,7|sat,sun)$/i.test(day)) return "at weekends"
    const chosen = day.split(",").map((one) => {
      const named = weekdays.findIndex((name) => name.slice(0, 3).toLowerCase() === one.toLowerCase())
      return named >= 0 ? weekdays[named] : /^[0-7]$/.test(one) ? weekdays[Number(one) % 7] : undefined
    })
    const known = chosen.filter((name) => name !== undefined)
    return known.length === chosen.length ? `on ${listed(known)}` : null
  }
  if (/^l$/i.test(date)) return "on the last day of each month"
  return only(date, 31) === null ? null : `on day ${date} of each month`
}

const wordsOf = (schedule: string): string | null => {
  const text = nicknames.get(schedule.toLowerCase()) ?? schedule
  const [minute = "", hour = "", date = "", month = "", day = "", ...more] = text.split(" ")
  if (day === "" || more.length > 0 || month !== "*") return null
  const times = timesIn(minute, hour)
  const days = daysIn(date, day)
  if (times === null || days === null) return null
  return days === "" ? times.startsWith("at") ? `every day ${times}` : times : `${times}, ${days}`
}

/** `every day at 02:30 (Europe/Berlin)`, or the schedule itself where no words fit. */
export const scheduleWords = ({ schedule, timezone }: Written): string =>
  `${wordsOf(tidied(schedule)) ?? `by the schedule ${tidied(schedule)}`} (${timezone})`

/** Says what happens when clocks change, to people who write a schedule. */
export const clockRule =
  "When clocks go forward, a time that they skip is not expected. When they go back, a time that comes twice is expected once; only a cron line with * or a step in its time is expected both times."
