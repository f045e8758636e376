/** The weekly rotation of an on-call schedule: who takes which week, and when each hand-off is, in the schedule's zone. */
import { type Array, DateTime } from "effect"
import type { UserId } from "../../../schema/Ids.ts"
import type { Schedule } from "../../../schema/oncall/Schedule.ts"
import { dateOf, dayOf, localDay, localTime, minutesOf, weekdayOf } from "../tools/LocalTime.ts"

/** Participants take a week each from the hand-off; `handoffDay` 0 is Monday. The first takes the week with `startDay`. */
export type RotationSettings = Pick<Schedule, "timezone" | "handoffDay" | "handoffTime" | "participants" | "startDay">

/** One week of the rotation. `end` is the start of the next one. */
export interface Week {
  readonly userId: UserId
  readonly start: DateTime.Utc
  readonly end: DateTime.Utc
}

const handoffOn = (day: number, { handoffTime, timezone }: Pick<RotationSettings, "handoffTime" | "timezone">): DateTime.Utc =>
  localTime(day, minutesOf(handoffTime), timezone)

/** The local day of the last hand-off day on or before `day`. */
const lastHandoffDay = (day: number, handoffDay: number): number => day - ((weekdayOf(day) - handoffDay + 7) % 7)

/** The week number `index`, counted from the first participant's; it can be negative. */
const weekAt = (settings: RotationSettings, index: number): Week => {
  const first = lastHandoffDay(dayOf(settings.startDay), settings.handoffDay)
  const count = settings.participants.length
  return {
    userId: settings.participants[((index % count) + count) % count] ?? settings.participants[0],
    start: handoffOn(first + index * 7, settings),
    end: handoffOn(first + index * 7 + 7, settings)
  }
}

/** The number of the week that contains an instant, and the week. Finding the times of a week is what costs. */
const weekOf = (settings: RotationSettings, at: DateTime.Utc): readonly [index: number, week: Week] => {
  const first = lastHandoffDay(dayOf(settings.startDay), settings.handoffDay)
  const guess = Math.floor((localDay(at, settings.timezone) - first) / 7)
  const week = weekAt(settings, guess)
  // On the day of a hand-off, its time decides. A skipped time can move it past midnight.
  const index = DateTime.greaterThan(week.start, at) ? guess - 1 : DateTime.lessThanOrEqualTo(week.end, at) ? guess + 1 : guess
  return [index, index === guess ? week : weekAt(settings, index)]
}

/** The weeks that overlap the time from `from` up to `to`, in order; at least the one that contains `from`. */
export const weeksBetween = (settings: RotationSettings, from: DateTime.Utc, to: DateTime.Utc): Array.NonEmptyArray<Week> => {
  const [first, week] = weekOf(settings, from)
  const weeks: Array.NonEmptyArray<Week> = [week]
  // A week ends where the next one begins.
  for (let index = first + 1, { end } = week; DateTime.lessThan(end, to); index++) {
    const next = weekAt(settings, index)
    weeks.push(next)
    end = next.end
  }
  return weeks
}

/** The start day that gives the current week to the first participant. */
export const currentStartDay = (
  settings: Pick<RotationSettings, "timezone" | "handoffDay" | "handoffTime">,
  now: DateTime.Utc
): string => {
  const day = lastHandoffDay(localDay(now, settings.timezone), settings.handoffDay)
  return DateTime.greaterThan(handoffOn(day, settings), now) ? dateOf(day - 7) : dateOf(day)
}
