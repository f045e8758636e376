/** Reads the calendar expressions of systemd (`OnCalendar=`, systemd.time(7)) as patterns of seven fields, which croner runs. */
import { Either } from "effect"

interface Range {
  readonly least: number
  readonly most: number
}

const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

/** The words that stand for a whole expression, in lower case. */
const words: ReadonlyMap<string, string> = new Map([
  ["minutely", "*-*-* *:*:00"],
  ["hourly", "*-*-* *:00:00"],
  ["daily", "*-*-* 00:00:00"],
  ["weekly", "Mon *-*-* 00:00:00"],
  ["monthly", "*-*-01 00:00:00"],
  ["quarterly", "*-01,04,07,10-01 00:00:00"],
  ["semiannually", "*-01,07-01 00:00:00"],
  ["semi-annually", "*-01,07-01 00:00:00"],
  ["yearly", "*-01-01 00:00:00"],
  ["annually", "*-01-01 00:00:00"]
])

/** Of each text that is refused, one sentence without its period. */
type Read<A> = Either.Either<A, string>

/** The numbers of a list of values, ranges (`1..5`) and steps (`0/15`), in order; null for `*`, which is any. */
const numbersIn = (what: string, text: string, { least, most }: Range): Read<ReadonlyArray<number> | null> => {
  if (text === "*") return Either.right(null)
  const found = new Set<number>()
  for (const part of text.split(",")) {
    const [whole, from, to, step] = /^(?:\*|(\d{1,2})(?:\.\.(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part) ?? []
    const first = Number(from ?? least)
    const last = to !== undefined ? Number(to) : from === undefined || step !== undefined ? most : first
    const by = Number(step ?? 1)
    if (whole === undefined || by < 1 || first < least || last > most || first > last) {
      return Either.left(`"${part}" is no ${what} from ${least} to ${most}`)
    }
    for (let value = first; value <= last; value += by) found.add(value)
  }
  return Either.right([...found].sort((one, other) => one - other))
}

/** Such as `Mon..Fri` or `Sat,Sun`, as numbers from Sunday, 0. */
const weekdaysIn = (text: string): Read<ReadonlyArray<number>> => {
  const found = new Set<number>()
  for (const part of text.toLowerCase().replace(/,$/, "").split(",")) {
    const [first, last] = part.split(/\.\.|-/).map((name) =>
      /^[a-z]{3,9}$/.test(name) ? weekdays.findIndex((day) => name.startsWith(day)) : -1
    )
    if (first === undefined || first < 0 || (last ?? first) < first) return Either.left(`"${part}" is no day of the week`)
    for (let day = first; day <= (last ?? first); day++) found.add((day + 1) % 7)
  }
  return Either.right([...found])
}

/** Years stay a text: a list of each would be long. */
const yearsIn = (text: string): Read<string> => {
  if (text === "*") return Either.right("*")
  const [whole, from = "", to, step] = /^(\d{4})(?:\.\.(\d{4}))?(?:\/(\d{1,4}))?$/.exec(text) ?? []
  if (whole === undefined || Number(from) < 1970 || Number(to ?? from) < Number(from)) return Either.left(`"${text}" is no year`)
  if (step !== undefined) {
    return Number(step) < 1
      ? Either.left(`"${text}" is no year`)
      : Either.right(`${from}-${to ?? 9999}/${step}`)
  }
  return Either.right(to === undefined ? from : `${from}-${to}`)
}

const written = (numbers: ReadonlyArray<number> | null): string => numbers === null ? "*" : numbers.join(",")

/** A time is written as numbers, never as `*`: systemd runs a time that the clock shows twice once. */
const timeIn = (text: string): Read<string> =>
  Either.gen(function*() {
    const [hour = "", minute = "", second = "00", ...more] = text.split(":")
    if (more.length > 0) return yield* Either.left(`"${text}" is no time, such as 02:30 or 02:30:00`)
    const all = (count: number) => Array.from({ length: count }, (_, index) => index)
    const seconds = (yield* numbersIn("second", second, { least: 0, most: 59 })) ?? all(60)
    const minutes = (yield* numbersIn("minute", minute, { least: 0, most: 59 })) ?? all(60)
    const hours = (yield* numbersIn("hour", hour, { least: 0, most: 23 })) ?? all(24)
    return `${written(seconds)} ${written(minutes)} ${written(hours)}`
  })

interface DateFields {
  readonly day: string
  readonly month: string
  readonly year: string
}

const anyDate: DateFields = { day: "*", month: "*", year: "*" }

/** `2026-11-27`, `*-*-01`, `11-27`, and `*-02~01` for the last day of a month. */
const dateIn = (text: string): Read<DateFields> =>
  Either.gen(function*() {
    const [, year = "*", month = "", mark, day = ""] = /^(?:([^-~]+)-)?([^-~]+)([-~])([^-~]+)$/.exec(text) ?? []
    if (mark === undefined) return yield* Either.left(`"${text}" is no date, such as *-*-01`)
    const last = mark === "~"
    if (last && !/^0?1$/.test(day)) {
      return yield* Either.left(`"${text}" counts days from the end of the month; only ~1, the last day, is supported`)
    }
    return {
      day: last ? "L" : written(yield* numbersIn("day of the month", day, { least: 1, most: 31 })),
      month: written(yield* numbersIn("month", month, { least: 1, most: 12 })),
      year: yield* yearsIn(year)
    }
  })

/** A pattern of seconds, minutes, hours, days of the month, months, days of the week and years; or what is wrong. */
export const patternOfCalendar = (text: string): Read<string> =>
  Either.gen(function*() {
    const parts = (words.get(text.toLowerCase()) ?? text).split(/\s+/)
    const days = /^[a-z]/i.test(parts[0] ?? "") ? yield* weekdaysIn(parts.shift() ?? "") : null
    const date = /[-~]/.test(parts[0] ?? "") && !parts[0]?.includes(":") ? yield* dateIn(parts.shift() ?? "") : anyDate
    const time = (parts[0] ?? "").includes(":") ? yield* timeIn(parts.shift() ?? "") : "0 0 0"
    if (parts.length > 0) return yield* Either.left(`"${parts[0]}" is not understood`)
    // Of dates and weekdays both must hold, which the + says.
    return `${time} ${date.day} ${date.month} ${days === null ? "*" : `+${written(days)}`} ${date.year}`
  })
