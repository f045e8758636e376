/** The next times of a schedule as its clock shows them, with what a change of the clock does to them. Times are ms since 1970. */
import { offsetAt } from "../../tools/time/ZoneOffset.ts"
import { timeAfter, type Written } from "./Schedule.ts"

export interface PreviewedTime {
  readonly at: number
  /** Such as `2026-11-28T02:30:00+01:00`. */
  readonly local: string
  readonly note: string | null
}

const localText = (at: number, timezone: string): string => {
  const offset = offsetAt(at, timezone)
  const minutes = Math.abs(Math.round(offset / 60_000))
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0"))
  return `${new Date(at + offset).toISOString().slice(0, 19)}${offset < 0 ? "-" : "+"}${hours}:${rest}`
}

/** Longer than a clock goes back, ms. */
const later = 3 * 3_600_000

/** When the clock shows the time of an instant again, because it goes back in between; null if it does not. */
const secondOf = (at: number, timezone: string): number | null => {
  const [before, after] = [offsetAt(at, timezone), offsetAt(at + later, timezone)]
  const second = at + before - after
  return second > at && offsetAt(second, timezone) === after ? second : null
}

const noteOf = (written: Written, at: number, before: number | null, skipped: string | null): string | null => {
  if (skipped !== null) return `The clock skips a time of the schedule on ${skipped}: no ping is expected then`
  if (before !== null && secondOf(before, written.timezone) === at) {
    return "The clock shows this time again: a ping is expected again"
  }
  const second = secondOf(at, written.timezone)
  return second === null || timeAfter(written, at)?.at === second
    ? null
    : "The clock shows this time twice: a ping is expected at the first"
}

/** A schedule whose times are all skipped ends after this many. */
const mostTries = 60

export const previewOf = (written: Written, after: number, count: number): ReadonlyArray<PreviewedTime> => {
  const times: Array<PreviewedTime> = []
  let skipped: string | null = null
  let time = timeAfter(written, after)
  for (let tries = 0; time !== null && times.length < count && tries < count + mostTries; tries++) {
    const { at } = time
    const local = localText(at, written.timezone)
    if (!time.skipped) times.push({ at, local, note: noteOf(written, at, times.at(-1)?.at ?? null, skipped) })
    skipped = time.skipped ? local.slice(0, 10) : null
    time = timeAfter(written, at)
  }
  return times
}
