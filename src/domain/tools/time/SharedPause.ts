/** Pauses that end together: an idle process pays more for each wake-up than for what most of its loops then do. */

/** Pauses of about whole seconds end at multiples of this, ms. Others end when they should. */
const together = 1000

/** A pause may be so much shorter, ms: the next round of a loop that took a moment must not wait for another second. */
const early = 100

/** The pause at `now`, by any steady clock, in place of `pause` (both ms). */
export const sharedPause = (now: number, pause: number): number => {
  const isAboutWhole = pause > together - early && Math.ceil(pause / together) * together - pause <= early
  return isAboutWhole ? Math.ceil((now + pause - early) / together) * together - now : pause
}
