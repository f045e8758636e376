/** The rounds of a monitor: which slot an instant lies in, the same in every region and on every runner. */

/** A fixed offset below `intervalMs` from the monitor's id, so that checks spread evenly (FNV-1a). */
export const phaseOf = (monitorId: string, intervalMs: number): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < monitorId.length; i++) {
    hash = Math.imul(hash ^ monitorId.charCodeAt(i), 0x01000193)
  }
  // The finalizer of MurmurHash3: FNV alone leaves the last characters in the low bits.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) % intervalMs
}

/** The slot that `now` (ms) lies in. */
export const slotAt = (now: number, phase: number, intervalMs: number): number => Math.floor((now - phase) / intervalMs)

/** When a slot begins (ms). */
export const slotStart = (slot: number, phase: number, intervalMs: number): number => slot * intervalMs + phase
