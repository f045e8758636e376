/** An on-call schedule as its workspace sees it: its settings, who is on call, and its shifts. */
import { Array, DateTime } from "effect"
import type { ScheduleId, UserId } from "../../../schema/Ids.ts"
import type { CurrentOnCall, OnCallPerson, OnCallShift } from "../../../schema/oncall/Schedule.ts"
import type { RotationSettings } from "./Rotation.ts"
import { type OverrideWindow, type Shift, shiftAt, shiftsBetween } from "./Shifts.ts"

/** The members of the workspace by id. */
export type People = ReadonlyMap<UserId, OnCallPerson>

const shown = (people: People) => ({ end, overrideId, start, userId }: Shift): OnCallShift => ({
  user: people.get(userId) ?? { id: userId, name: null, email: null, reachable: false },
  start,
  end,
  overrideId
})

export const currentShift = (
  settings: RotationSettings,
  overrides: ReadonlyArray<OverrideWindow>,
  people: People,
  now: DateTime.Utc
): OnCallShift => shown(people)(shiftAt(settings, overrides, now))

/** The shifts of the next `days` days. */
export const nextShifts = (
  settings: RotationSettings,
  overrides: ReadonlyArray<OverrideWindow>,
  people: People,
  now: DateTime.Utc,
  days: number
): ReadonlyArray<OnCallShift> => Array.map(shiftsBetween(settings, overrides, now, DateTime.add(now, { days })), shown(people))

export const currentOnCall = (
  schedule: { readonly id: ScheduleId; readonly name: string },
  { end, overrideId, start, user }: OnCallShift
): CurrentOnCall => ({
  scheduleId: schedule.id,
  scheduleName: schedule.name,
  user,
  since: start,
  until: end,
  override: overrideId !== null
})
