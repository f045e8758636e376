/** Classifies a stall of the process: the machine stood still, or the process blocked its own event loop. */

/** Cumulative usage of a process, ms. */
export interface Usage {
  /** CPU time of all its threads. */
  readonly cpuMs: number
  /** Time that its event loop was active. */
  readonly activeMs: number
}

/** Setting the clock forward also counts as a standstill. */
export type Stall = "none" | "standstill" | "blocked"

/** Gaps between two heartbeats up to this length are normal, ms. */
export const stallMs = 5000

/** A stopped process uses no CPU; a blocked event loop is active throughout and uses at least half a core. */
export const stallOf = (gapMs: number, before: Usage, after: Usage): Stall => {
  if (gapMs <= stallMs) return "none"
  const isOwn = after.cpuMs - before.cpuMs >= gapMs / 2 && after.activeMs - before.activeMs >= gapMs / 2
  return isOwn ? "blocked" : "standstill"
}
