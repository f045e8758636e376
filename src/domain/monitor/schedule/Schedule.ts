/**
 * When a job runs: lines of cron and calendar expressions of systemd, on the clock of a zone. A time that the clock skips is left out.
 * A time that it shows twice counts once, at the first; of a cron line with `*` or a step in its time, both count.
 */
import { Cron } from "croner"
import { Either } from "effect"
import { patternOfCalendar } from "./OnCalendar.ts"

export interface Written {
  /** A line of cron, or a calendar expression of systemd. */
  readonly schedule: string
  /** An IANA name. */
  readonly timezone: string
}

/** Times are milliseconds since 1970. */
export interface ScheduledTime {
  readonly at: number
  /** Whether the clock skips the time of the schedule: then `at` is the end of the skip, and no ping is expected. */
  readonly skipped: boolean
}

interface Pattern {
  readonly text: string
  /** Whether dates and weekdays must both hold, as cron has it if one of them begins with a star. */
  readonly both: boolean
  readonly fields: "5-part" | "6-part" | "7-part"
}

const nicknames: ReadonlyMap<string, string> = new Map([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"],
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"]
])

const names = /jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat/gi
const isCronField = (field: string): boolean => /^[\d*?,/#+LW-]*$/i.test(field.replace(names, "1"))

const isStar = (field: string | undefined): boolean => /^[*?]/.test(field ?? "")

/** A schedule with its white space as one space each. */
export const tidied = (schedule: string): string => schedule.trim().replace(/\s+/g, " ")

const patternIn = (given: string): Either.Either<Pattern, string> => {
  const text = nicknames.get(given.toLowerCase()) ?? given
  const fields = text.split(" ")
  if (text.startsWith("@")) return Either.left(`"${text}" is no schedule`)
  if (fields.length < 5) {
    return Either.map(patternOfCalendar(text), (pattern) => ({ text: pattern, both: false, fields: "7-part" }))
  }
  const foreign = fields.findIndex((field) => !isCronField(field))
  if (foreign >= 5 || fields.length > 6) {
    return Either.left("A line of cron has five fields, or six with seconds first, and no command")
  }
  if (foreign >= 0) return Either.left(`"${fields[foreign]?.slice(0, 40)}" is no field of cron`)
  const [date, , day] = fields.slice(-3)
  return Either.right({ text, both: isStar(date) || isStar(day), fields: fields.length === 5 ? "5-part" : "6-part" })
}

/** The reason that croner gives, without the name of its class. */
const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/^Cron\w*: /, "").replace(/\.$/, "") : "It is not understood"

const compiled = ({ schedule, timezone }: Written): Either.Either<Cron, string> =>
  Either.flatMap(patternIn(tidied(schedule)), ({ both, fields, text }) =>
    Either.try({
      try: () =>
        new Cron(text, {
          paused: true,
          timezone,
          mode: fields,
          domAndDow: both,
          sloppyRanges: true,
          fixedTimeRule: "no-wildcard"
        }),
      catch: reasonOf
    }))

/** A compiled pattern takes 80 kB, and is made again in a tenth of a millisecond. */
const mostCompiled = 100
const kept = new Map<string, Either.Either<Cron, string>>()

const keyOf = ({ schedule, timezone }: Written): string => `${timezone} ${schedule}`

const cronOf = (written: Written): Either.Either<Cron, string> => {
  const key = keyOf(written)
  const known = kept.get(key)
  if (known !== undefined) return known
  if (kept.size >= mostCompiled) kept.clear()
  const made = compiled(written)
  kept.set(key, made)
  return made
}

/** The fault of a schedule; null if it can be read. */
export const scheduleProblem = (written: Written): string | null =>
  Either.match(cronOf(written), { onLeft: (why) => why, onRight: () => null })

/** The next time of the schedule after `after`; null if there is none, or none that can be read. */
export const timeAfter = (written: Written, after: number): ScheduledTime | null => {
  const cron = Either.getOrNull(cronOf(written))
  const found = cron?.nextRun(new Date(after)) ?? null
  return cron === null || found === null ? null : { at: found.getTime(), skipped: !cron.match(found) }
}

/** The last time of the schedule before `before`, skipped or not; null if there is none. */
export const timeBefore = (written: Written, before: number): number | null =>
  Either.getOrNull(cronOf(written))?.previousRuns(1, new Date(before))[0]?.getTime() ?? null

/** A schedule whose times are all skipped never comes: `30 2 * 3 7L` in Berlin. */
const mostSkipped = 50

const foundAfter = (written: Written, after: number): number | null => {
  let time = timeAfter(written, after)
  for (let tries = 0; time?.skipped === true && tries < mostSkipped; tries++) time = timeAfter(written, time.at)
  return time === null || time.skipped ? null : time.at
}

/** The interval of which an answer is known: from `from` until `at`, or for ever. */
interface Known {
  readonly from: number
  readonly at: number | null
}

/** Of each schedule the last answer: lists ask the same of thousands, and a pattern that never comes costs 50 ms to follow. */
const answers = new Map<string, Known>()
const mostAnswers = 20_000

/** The next time at which a ping is expected after `after`; null if there is none. In ms since 1970. */
export const expectedAfter = (written: Written, after: number): number | null => {
  const key = keyOf(written)
  const known = answers.get(key)
  if (known !== undefined && known.from <= after && (known.at === null || after < known.at)) return known.at
  const at = foundAfter(written, after)
  if (answers.size >= mostAnswers) answers.clear()
  answers.set(key, { from: after, at })
  return at
}

/** The next `count` such times; fewer if there are no more. */
export const expectedTimes = (written: Written, after: number, count: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  let at = foundAfter(written, after)
  while (at !== null && found.length < count) {
    found.push(at)
    at = found.length < count ? foundAfter(written, at) : null
  }
  return found
}
