/** The person on call at any instant: the rotation with the overrides over it. */
import { Array, DateTime, Order } from "effect"
import type { OverrideId, UserId } from "../../../schema/Ids.ts"
import { type RotationSettings, type Week, weeksBetween } from "./Rotation.ts"

/** Somebody who stands in from `start` up to `end`. */
export interface OverrideWindow {
  readonly id: OverrideId
  readonly userId: UserId
  readonly start: DateTime.Utc
  readonly end: DateTime.Utc
  readonly createdAt: DateTime.Utc
}

/** A time in which one person is on call, from `start` up to `end`. */
export interface Shift {
  readonly userId: UserId
  readonly start: DateTime.Utc
  readonly end: DateTime.Utc
  /** The override that put the person there; null for the rotation. */
  readonly overrideId: OverrideId | null
}

const newestFirst = Order.combine(
  Order.reverse(Order.mapInput(DateTime.Order, ({ createdAt }: OverrideWindow) => createdAt)),
  Order.reverse(Order.mapInput(Order.string, ({ id }: OverrideWindow) => id))
)

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

/**
 * The shifts that overlap the time from `from` up to `to`, in order and without gaps. Overrides win over the rotation, and of
 * overrides that overlap, the one that was created last.
 */
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

/**
 * Whom to page, best first: the person on call, then the others in the order of the rotation. The others count only if those
 * before them have left the workspace.
 */
export const pagingOrder = (
  settings: RotationSettings,
  overrides: ReadonlyArray<OverrideWindow>,
  at: DateTime.Utc
): ReadonlyArray<UserId> => {
  const { participants } = settings
  const [week] = weeksBetween(settings, at, at)
  const turn = Math.max(0, participants.indexOf(week.userId))
  return [shiftAt(settings, overrides, at).userId, ...participants.slice(turn), ...participants.slice(0, turn)]
}
