/** The check slots of a monitor, which every region and runner computes alike, and when its checks are due. */

/** An offset below `intervalMs`, derived from the monitor's id (FNV-1a), that spreads checks evenly. */

export const phaseOf = (monitorId: string, intervalMs: number): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < monitorId.length; i++) {
    hash = Math.imul(hash ^ monitorId.charCodeAt(i), 0x01000193)
  }
  // MurmurHash3's finalizer: FNV alone mixes the last characters only into the low bits.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) % intervalMs
}

/** The slot that contains `now` (ms). */
export const slotAt = (now: number, phase: number, intervalMs: number): number => Math.floor((now - phase) / intervalMs)

/** When a slot begins (ms). */
export const slotStart = (slot: number, phase: number, intervalMs: number): number => slot * intervalMs + phase

/** A monitor's phase and interval, in milliseconds. */
export interface Rhythm {
  readonly phase: number
  readonly intervalMs: number
}

/** An assignment that changed this recently is an edit whose author waits for the first check. */
const freshMs = 30_000

/** After a gap (a suspended machine, a stalled process) checks resume spread over at most this long. */
const catchUpMs = 60_000

export const firstStartFrom = ({ intervalMs, phase }: Rhythm, instant: number): number => {
  const start = slotStart(slotAt(instant, phase, intervalMs), phase, intervalMs)
  return start === instant ? start : start + intervalMs
}

/** True if an assignment with a new revision is checked immediately. After an interval, another worker has most likely done that. */
export const isFresh = ({ intervalMs }: Rhythm, changedAt: number, now: number): boolean =>
  now - changedAt <= Math.min(freshMs, intervalMs)

/** When the next check is due after the check for the slot that contains `now`. */
export const dueAfter = ({ intervalMs, phase }: Rhythm, now: number): number =>
  slotStart(slotAt(now, phase, intervalMs) + 1, phase, intervalMs)

/** When to resume checks after a gap: at the next slot, or within a minute if that slot is further away. */
export const dueAfterGap = (rhythm: Rhythm, now: number): number => {
  const start = firstStartFrom(rhythm, now)
  return start - now <= catchUpMs ? start : now + (rhythm.phase % catchUpMs)
}

/** Workers notice that another one has left within seconds, or within its session if it was killed. Its slots of that time wait, ms. */
const handOverMs = 15_000

/**
 * When a worker that takes a monitor over begins. A slot that began just before may have no check, so it gets one: all as much later
 * as the change may have taken, which at most doubles the usual rate. If it has one, the second counts for nothing.
 */
export const dueAfterHandOver = (rhythm: Rhythm, now: number): number => {
  const { intervalMs, phase } = rhythm
  const due = slotStart(slotAt(now, phase, intervalMs), phase, intervalMs) + Math.min(handOverMs, Math.floor(intervalMs / 2))
  return due >= now ? due : dueAfterGap(rhythm, now)
}
