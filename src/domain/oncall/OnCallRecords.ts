/** The shifts of a schedule as callers see them: people by their names, who is on call at an instant, and what nobody covers. */
import { DateTime } from "effect"
import type { ScheduleId, UserId } from "../../../schema/Ids.ts"
import type { CurrentOnCall, OnCallPerson, OnCallShift } from "../../../schema/oncall/Schedule.ts"
import { counted } from "../tools/text/Counted.ts"
import { momentText } from "../tools/time/Moments.ts"
import { covers, type Span } from "./LayerTimes.ts"
import { type Shift, uncovered } from "./Shifts.ts"

export type People = ReadonlyMap<UserId, OnCallPerson>

export const shownShift = (people: People) => ({ end, overrideId, start, userId }: Shift): OnCallShift => ({
  user: people.get(userId) ?? { id: userId, name: null, email: null, reachable: false },
  start,
  end,
  overrideId
})

/** How far from an instant the shifts around a gap are looked for, in days. */
export const gapDays = 42

type Named = { readonly id: ScheduleId; readonly name: string }

/** Each person on call at an instant; one entry of nobody in a gap. `near` are the shifts of `gapDays` before and after. */
export const onCallAt = (
  schedule: Named,
  near: ReadonlyArray<OnCallShift>,
  at: DateTime.Utc
): ReadonlyArray<CurrentOnCall> => {
  const { id: scheduleId, name: scheduleName } = schedule
  const on = near.filter((shift) => covers(shift, at))
  const since = near.reduce<DateTime.Utc | null>(
    (last, { end }) => (DateTime.lessThanOrEqualTo(end, at) && (last === null || DateTime.greaterThan(end, last)) ? end : last),
    null
  )
  const until = near.find(({ start }) => DateTime.greaterThan(start, at))?.start ?? null
  return on.length === 0
    ? [{ scheduleId, scheduleName, user: null, since, until, override: false }]
    : on.map(({ end, overrideId, start, user }) => ({
      scheduleId,
      scheduleName,
      user,
      since: start,
      until: end,
      override: overrideId !== null
    }))
}

const dayMs = 86_400_000

/** A warning of the times that nobody covers; none if there are none. The times are given in UTC: callers have any zone. */
export const gapWarnings = (shifts: ReadonlyArray<Span>, from: DateTime.Utc, to: DateTime.Utc): ReadonlyArray<string> => {
  const gaps = uncovered(shifts, from, to)
  const [first] = gaps
  if (first === undefined) return []
  const minute = (at: DateTime.Utc) => momentText(at, "UTC")
  const days = Math.round((to.epochMillis - from.epochMillis) / dayMs)
  const more = gaps.length === 1 ? "" : ` and at ${counted(gaps.length - 1, "more time")}`
  return [`Nobody is on call from ${minute(first.start)} to ${minute(first.end)}${more} in the next ${days} days.`]
}
