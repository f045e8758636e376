/** Exchanges two shifts: the overrides that do it, and why some cannot be exchanged. */
import { DateTime } from "effect"
import type { OverrideInput, ShiftRef, ShiftSwap } from "../../../schema/oncall/Schedule.ts"
import type { Refusal } from "../Refusal.ts"
import { overlap, type Span } from "./LayerTimes.ts"
import { hasEnded } from "./Overrides.ts"
import type { Shift } from "./Shifts.ts"

/** The problems of a swap that no state of the schedule could make right. */
export const swapRefusals = ({ one, other }: ShiftSwap, now: DateTime.Utc): ReadonlyArray<Refusal> => {
  const ended = ([["one", one], ["other", other]] as const).filter(([, shift]) => hasEnded(shift, now))
  if (ended.length > 0) return ended.map(([path]) => ({ path: `${path}.end`, message: "The shift has ended" }))
  if (one.userId === other.userId) return [{ path: "other.userId", message: "Both shifts are of one person" }]
  return overlap(one, other) ? [{ path: "other.start", message: "Shifts at the same time cannot be swapped" }] : []
}

/** Whether the schedule has the shift, just so. */
export const hasShift = (shifts: ReadonlyArray<Shift>, { end, start, userId }: ShiftRef): boolean =>
  shifts.some((shift) =>
    shift.userId === userId && DateTime.Equivalence(shift.start, start) && DateTime.Equivalence(shift.end, end)
  )

/** The time around both shifts. */
export const aroundBoth = ({ one, other }: ShiftSwap): Span => ({
  start: DateTime.min(one.start, other.start),
  end: DateTime.max(one.end, other.end)
})

/** What is left of each shift goes to the other person. */
export const swapOverrides = ({ one, other }: ShiftSwap, now: DateTime.Utc): ReadonlyArray<OverrideInput> =>
  [[one, other] as const, [other, one] as const].map(([shift, { userId }]) => ({
    userId,
    insteadOf: shift.userId,
    start: DateTime.max(shift.start, now),
    end: shift.end,
    note: "Swapped"
  }))
