/** When a monitor's checks are due: at the start of each slot, immediately after an edit, and spread out after a gap. */
import { slotAt, slotStart } from "../round/CheckSlot.ts"

/** A monitor's phase and interval, in milliseconds. */
export interface Rhythm {
  readonly phase: number
  readonly intervalMs: number
}

/** An assignment that changed this recently is an edit whose author waits for the first check. */
const freshMs = 30_000

/** After a gap (a suspended machine, a stalled process) checks resume spread over at most this long. */
const catchUpMs = 60_000

/** The first start of a slot at or after `instant`. */
export const firstStartFrom = ({ intervalMs, phase }: Rhythm, instant: number): number => {
  const start = slotStart(slotAt(instant, phase, intervalMs), phase, intervalMs)
  return start === instant ? start : start + intervalMs
}

/** Whether to check an assignment with a new revision immediately. */
export const isFresh = (changedAt: number, now: number): boolean => now - changedAt <= freshMs

/** When the next check is due after an edit at `at`. Skips a slot that starts less than half an interval later. */
export const dueAfterExtra = (rhythm: Rhythm, at: number): number => firstStartFrom(rhythm, at + rhythm.intervalMs / 2)

/** When the next check is due after the check for the slot that contains `now`. */
export const dueAfterRegular = ({ intervalMs, phase }: Rhythm, now: number): number =>
  slotStart(slotAt(now, phase, intervalMs) + 1, phase, intervalMs)

/** When to resume checks after a gap: at the next slot, or within a minute if that slot is further away. */
export const dueAfterGap = (rhythm: Rhythm, now: number): number => {
  const start = firstStartFrom(rhythm, now)
  return start - now <= catchUpMs ? start : now + (rhythm.phase % catchUpMs)
}
