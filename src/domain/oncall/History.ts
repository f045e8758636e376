/** Who was on call in the past: by the rotation that applied then, and by overrides from when they were made. */
import { Array, DateTime } from "effect"
import type { StoredRotation } from "../../../schema/oncall/Rotation.ts"
import { covers, isSpan, overlap, type Span } from "./LayerTimes.ts"
import type { OverrideWindow } from "./Overrides.ts"
import { byShiftStart, type Shift, shiftsBetween } from "./Shifts.ts"

/** A rotation and the time in which it applied. */
export interface RotationPeriod extends Span {
  readonly rotation: StoredRotation
}

/** The rotations of a schedule, in order; the last one applies now. */
export interface ScheduleHistory {
  readonly past: ReadonlyArray<RotationPeriod>
  readonly rotation: StoredRotation
  /** When the schedule was made: nobody was on call before. Null has the first rotation apply at all times before, too. */
  readonly createdAt: DateTime.Utc | null
}

/** An override paged nobody before it was made, even if it begins earlier. */
const asMade = (one: OverrideWindow): OverrideWindow => ({ ...one, start: DateTime.max(one.start, one.createdAt) })

/** Shifts of one person and cause that an edit of the rotation only cut in two. */
const mended = (shifts: ReadonlyArray<Shift>, cuts: ReadonlySet<number>): ReadonlyArray<Shift> => {
  const found: Array<Shift> = []
  for (const shift of shifts) {
    const before = cuts.has(shift.start.epochMillis)
      ? found.findIndex(({ end, overrideId, userId }) =>
        userId === shift.userId && overrideId === shift.overrideId && DateTime.Equivalence(end, shift.start)
      )
      : -1
    const one = found[before]
    if (one === undefined) found.push(shift)
    else found[before] = { ...one, end: shift.end }
  }
  return found
}

/** The shifts that overlap the time from `from` up to `to`, by their start. Editing the rotation does not change those before. */
export const shiftsInHistory = (
  { createdAt, past, rotation }: ScheduleHistory,
  overrides: ReadonlyArray<OverrideWindow>,
  from: DateTime.Utc,
  to: DateTime.Utc
): ReadonlyArray<Shift> => {
  const began = createdAt ?? DateTime.unsafeMake(0)
  const known = past.map((period, at) => (at === 0 && createdAt === null ? { ...period, start: began } : period))
  const last = past.at(-1)?.end ?? began
  const now: RotationPeriod = { rotation, start: last, end: DateTime.max(last, DateTime.add(to, { days: 366 })) }
  const span = { start: from, end: to }
  const made = overrides.map(asMade).filter(isSpan)
  const shifts = [...known, now].filter((period) => overlap(period, span) || covers(period, from)).flatMap((period) =>
    shiftsBetween(period.rotation, made, DateTime.max(from, period.start), DateTime.min(to, period.end))
      .map((shift) => ({
        ...shift,
        start: DateTime.max(shift.start, period.start),
        end: period === now ? shift.end : DateTime.min(shift.end, period.end)
      }))
      .filter(isSpan)
  )
  return mended(Array.sort(shifts, byShiftStart), new Set(past.map(({ end }) => end.epochMillis)))
}
