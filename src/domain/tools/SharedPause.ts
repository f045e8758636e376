/** Pauses that end together: an idle process pays more for each wake-up than for what most of its loops then do. */

/** Pauses end at multiples of this, ms. Shorter ones end when they should. */
const together = 1000

/** A pause may end so much too early, ms: the next round of a loop that took a moment must not wait for another second. */
const early = 100

/** How long to pause at `now`, by any steady clock, in place of `pause` (both ms). */
export const sharedPause = (now: number, pause: number): number =>
  pause >= together && Number.isFinite(pause) ? Math.ceil((now + pause - early) / together) * together - now : pause
