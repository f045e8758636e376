/** The shifts of an on-call schedule: the rotation with the overrides over it, and their record. */
import { Array, DateTime, Order } from "effect"
import type { OverrideId, ScheduleId, UserId } from "../../../schema/Ids.ts"
import type { CurrentOnCall, OnCallPerson, OnCallShift } from "../../../schema/oncall/Schedule.ts"
import { inOrderOfCreation, type OverrideWindow } from "./Overrides.ts"
import { type RotationSettings, type Week, weeksBetween } from "./Rotation.ts"

/** A time in which one person is on call, from `start` up to `end`. */
export interface Shift extends Week {
  /** The override that put the person there; null for the rotation. */
  readonly overrideId: OverrideId | null
}

const newestFirst = Order.reverse(inOrderOfCreation)

const covers = ({ end, start }: { readonly start: DateTime.Utc; readonly end: DateTime.Utc }, at: DateTime.Utc): boolean =>
  DateTime.lessThanOrEqualTo(start, at) && DateTime.greaterThan(end, at)

/** Cuts a week where overrides begin or end. Each piece has one person. */
const piecesOf = (week: Week, overrides: ReadonlyArray<OverrideWindow>): ReadonlyArray<Shift> => {
  const cuts = overrides.flatMap(({ end, start }) => [start, end]).filter((at) =>
    DateTime.greaterThan(at, week.start) && DateTime.lessThan(at, week.end)
  )
  const starts = Array.dedupeWith(Array.sort([week.start, ...cuts], DateTime.Order), DateTime.Equivalence)
  return starts.map((start, index) => {
    const winner = overrides.find((one) => covers(one, start))
    return { userId: winner?.userId ?? week.userId, start, end: starts[index + 1] ?? week.end, overrideId: winner?.id ?? null }
  })
}

/** Joins pieces of one override. Weeks of the rotation stay apart, even if one person has several in a row. */
const joined = (pieces: ReadonlyArray<Shift>): ReadonlyArray<Shift> =>
  pieces.reduce<ReadonlyArray<Shift>>((shifts, piece) => {
    const last = shifts.at(-1)
    return last !== undefined && last.overrideId !== null && last.overrideId === piece.overrideId
      ? [...shifts.slice(0, -1), { ...last, end: piece.end }]
      : [...shifts, piece]
  }, [])

/** The shifts that overlap the time from `from` up to `to`, in order and without gaps. Overrides win, the newest before all. */
export const shiftsBetween = (
  settings: RotationSettings,
  overrides: ReadonlyArray<OverrideWindow>,
  from: DateTime.Utc,
  to: DateTime.Utc
): ReadonlyArray<Shift> => {
  const sorted = Array.sort(overrides, newestFirst)
  return joined(weeksBetween(settings, from, to).flatMap((week) => piecesOf(week, sorted)))
    .filter(({ end, start }) => DateTime.greaterThan(end, from) && (DateTime.lessThan(start, to) || covers({ start, end }, from)))
}

/** The shift at an instant, whole: an override can last beyond a hand-off. `overrides` are all that end later. */
export const shiftAt = (settings: RotationSettings, overrides: ReadonlyArray<OverrideWindow>, at: DateTime.Utc): Shift => {
  const covering = overrides.filter((one) => covers(one, at))
  const from = covering.reduce((first, { start }) => DateTime.min(first, start), at)
  const to = covering.reduce((last, { end }) => DateTime.max(last, end), at)
  const [week] = weeksBetween(settings, at, at)
  return shiftsBetween(settings, overrides, from, to).find((one) => covers(one, at)) ?? { ...week, overrideId: null }
}

/** The people to page, best first: the person on call, then the others, in case those before them have left the workspace. */
export const pagingOrder = (settings: RotationSettings, overrides: ReadonlyArray<OverrideWindow>, at: DateTime.Utc) => {
  const { participants } = settings
  const [week] = weeksBetween(settings, at, at)
  const first = Math.max(0, participants.indexOf(week.userId))
  return [shiftAt(settings, overrides, at).userId, ...participants.slice(first), ...participants.slice(0, first)]
}

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
