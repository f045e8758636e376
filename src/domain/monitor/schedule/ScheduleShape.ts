/** The distances between the times of a schedule: its usual grace follows them, and so does the period that stands for it. */
import { expectedAfter, expectedTimes, timeBefore, type Written } from "./Schedule.ts"

export interface ScheduleShape {
  readonly shortestSec: number
  /** Never more than the longest period, 31 days. */
  readonly longestSec: number
}

const hourMs = 3_600_000
const longestMs = 31 * 24 * hourMs

/** Fixed, so that a schedule has the same shape on every day. */
const reference = Date.UTC(2026, 0, 1)

/** Past midnight by a little: a time at the instant itself is the one before. Four instants a day for 8 days, then one a day. */
const instants: ReadonlyArray<number> = Array.from(
  { length: 62 },
  (_, index) => reference + 1 + (index < 32 ? index * 6 * hourMs : (index - 24) * 24 * hourMs)
)

/** Times that follow each other closely do so within a minute, so the first ones show it. */
const first = 10

/** Null for a schedule whose times never come. It ends with the first long gap: a pattern that is rarely met takes 50 ms a look. */
export const shapeOf = (written: Written): ScheduleShape | null => {
  if (expectedAfter(written, reference) === null) return null
  let [shortest, longest] = [longestMs, 0]
  const take = (from: number | null | undefined, to: number | null | undefined): void => {
    const gap = typeof from === "number" && typeof to === "number" ? Math.min(to - from, longestMs) : longestMs
    shortest = Math.min(shortest, gap)
    longest = Math.max(longest, gap)
  }
  const times = expectedTimes(written, reference, 3)
  take(times[0], times[1])
  take(times[1], times[2])
  if (longest < longestMs) expectedTimes(written, reference, first).reduce((from, to) => (take(from, to), to))
  for (const at of instants) {
    if (longest >= longestMs) break
    take(timeBefore(written, at), expectedAfter(written, at))
  }
  return { shortestSec: Math.round(shortest / 1000), longestSec: Math.round(longest / 1000) }
}
