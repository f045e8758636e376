/** Divides time into a monitor's check slots; every region and runner computes the same slots. */

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
