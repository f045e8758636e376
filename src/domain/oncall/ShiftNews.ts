/** Whom a change of a schedule concerns: the times at which each person comes on call by it, and those at which the person no longer is. */
import { DateTime } from "effect"
import type { UserId } from "../../../schema/Ids.ts"
import { gather } from "../tools/Gather.ts"
import { isSpan, joined, type Span } from "./LayerTimes.ts"
import { type Shift, uncovered } from "./Shifts.ts"

export interface ShiftNews {
  readonly userId: UserId
  readonly gained: ReadonlyArray<Span>
  readonly lost: ReadonlyArray<Span>
}

/** The parts of `spans` outside `others`; both are in order and apart. */
const outside = (spans: ReadonlyArray<Span>, others: ReadonlyArray<Span>): ReadonlyArray<Span> =>
  spans.flatMap(({ end, start }) => uncovered(others, start, end))

/** From the shifts before and after that overlap the time of the change. Outside it they are as they were, whole or cut. */
export const shiftNews = (
  before: ReadonlyArray<Shift>,
  after: ReadonlyArray<Shift>,
  time: Span
): ReadonlyArray<ShiftNews> => {
  const timesOf = (shifts: ReadonlyArray<Shift>) =>
    gather(
      shifts.map(({ end, start, userId }) =>
        [userId, { start: DateTime.max(start, time.start), end: DateTime.min(end, time.end) }] as const
      )
    )
  const [then, later] = [timesOf(before), timesOf(after)]
  return [...new Set([...then.keys(), ...later.keys()])].flatMap((userId) => {
    const [had, has] = [then, later].map((times) => joined((times.get(userId) ?? []).filter(isSpan)))
    const [gained, lost] = [outside(has ?? [], had ?? []), outside(had ?? [], has ?? [])]
    return gained.length + lost.length === 0 ? [] : [{ userId, gained, lost }]
  })
}
