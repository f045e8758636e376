/** When a monitor's checks are due: at the start of each slot, at once after an edit, and spread out after a gap. */
import { slotAt, slotStart } from "./CheckSlot.ts"

/** A monitor's rhythm, in milliseconds. */
export interface Rhythm {
  readonly phase: number
  readonly intervalMs: number
}

/** Assignments changed this recently are somebody's edit, who waits to see it work. */
const freshMs = 30_000

/** A gap (a suspended machine, a stalled process) is caught up over this long at most. */
const catchUpMs = 60_000

/** The first start of a slot at or after `instant`. */
export const firstStartFrom = ({ intervalMs, phase }: Rhythm, instant: number): number => {
  const start = slotStart(slotAt(instant, phase, intervalMs), phase, intervalMs)
  return start === instant ? start : start + intervalMs
}

/** Whether an assignment of a revision not seen before is to be checked at once. */
export const isFresh = (changedAt: number, now: number): boolean => now - changedAt <= freshMs

/** When the next check is due after an edit at `at`: a slot that begins less than half an interval later is left out. */
export const dueAfterExtra = (rhythm: Rhythm, at: number): number => firstStartFrom(rhythm, at + rhythm.intervalMs / 2)

/** When the next check is due after one at `now` that was made for the slot `now` lies in. */
export const dueAfterRegular = ({ intervalMs, phase }: Rhythm, now: number): number =>
  slotStart(slotAt(now, phase, intervalMs) + 1, phase, intervalMs)

/** When to take up the checks again after a gap: at the next slot, or within a minute where that is further away. */
export const dueAfterGap = (rhythm: Rhythm, now: number): number => {
  const start = firstStartFrom(rhythm, now)
  return start - now <= catchUpMs ? start : now + (rhythm.phase % catchUpMs)
}
