/** Why a process did nothing for a while: the machine stood still, or the process blocked its own event loop. */

/** What a process has used up so far, ms. */
export interface Usage {
  /** CPU time of all its threads. */
  readonly cpuMs: number
  /** Time that its event loop was not waiting. */
  readonly activeMs: number
}

/** A clock that was set forward looks like a standstill. */
export type Stall = "none" | "standstill" | "blocked"

/** Shorter gaps between two heartbeats are no stall, ms. */
export const stallMs = 5000

/** A stopped process uses no CPU; a blocked loop is active for all the time, and uses at least half of a core. */
export const stallOf = (gapMs: number, before: Usage, after: Usage): Stall => {
  if (gapMs <= stallMs) return "none"
  const isOwn = after.cpuMs - before.cpuMs >= gapMs / 2 && after.activeMs - before.activeMs >= gapMs / 2
  return isOwn ? "blocked" : "standstill"
}
