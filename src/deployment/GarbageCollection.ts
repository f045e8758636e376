/**
 * Tunes V8 for many small long-lived objects among many short-lived ones. What V8 reads before any code runs is an argument of `npm
 * start` and of the image: Node 24 lets the young generation grow to 128 MB, of which it returns little to the system.
 */
import { Effect } from "effect"
import { setFlagsFromString } from "node:v8"

const flags = [
  // Collects the old generation after 40 % growth. By default V8 lets it grow to four times the live size: a gigabyte with ten
  // thousand actors.
  "--heap-growing-percent=40",
  // Objects that survive a burst of checks would otherwise make V8 allocate later ones in the old generation, although most of
  // those die immediately.
  "--no-allocation-site-pretenuring"
]

/** Applies to the rest of the process. V8 prints a warning for an unknown flag and continues. */
export const tuneGarbageCollection = Effect.sync(() => flags.forEach((flag) => setFlagsFromString(flag)))
