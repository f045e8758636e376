/** Lays shifts out on the days of a calendar, in any zone: how much of each day each shift covers. */
import { DateTime } from "effect"

interface Shift {
  readonly start: DateTime.Utc
  readonly end: DateTime.Utc
}

/** The part of a day that a shift covers; `from` and `to` are shares of the day, 0 to 1. */
export interface Piece<S> {
  readonly shift: S
  readonly from: number
  readonly to: number
  /** True if the shift begins on this day. */
  readonly begins: boolean
}

export interface CalendarDay<S> {
  /** Local date, YYYY-MM-DD. */
  readonly date: string
  readonly start: DateTime.Utc
  readonly end: DateTime.Utc
  readonly pieces: ReadonlyArray<Piece<S>>
}

/** Weeks from Monday to Sunday, from the week of `now`, in the zone of `now`. A day has 23 to 25 hours where clocks change. */
export const calendarWeeks = <S extends Shift>(now: DateTime.Zoned, weeks: number, shifts: ReadonlyArray<S>) => {
  const monday = DateTime.startOf(now, "week", { weekStartsOn: 1 })
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: 7 }, (_, weekday) => {
      const day = DateTime.startOf(DateTime.add(monday, { days: week * 7 + weekday, hours: 3 }), "day")
      const next = DateTime.startOf(DateTime.add(day, { days: 1, hours: 3 }), "day")
      const [start, end] = [DateTime.toEpochMillis(day), DateTime.toEpochMillis(next)]
      const share = (at: number) => (at - start) / (end - start)
      const pieces = shifts.flatMap((shift): ReadonlyArray<Piece<S>> => {
        const [from, to] = [DateTime.toEpochMillis(shift.start), DateTime.toEpochMillis(shift.end)]
        return from >= end || to <= start
          ? []
          : [{ shift, from: share(Math.max(from, start)), to: share(Math.min(to, end)), begins: from >= start }]
      })
      return { date: DateTime.formatIsoDate(day), start: DateTime.toUtc(day), end: DateTime.toUtc(next), pieces }
    }))
}
