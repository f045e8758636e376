/** Sets V8 up for many small things that live for long beside many that do not. */
import { Effect } from "effect"
import { setFlagsFromString } from "node:v8"

const flags = [
  // Keeps the heap small, in percent of growth before the old generation is collected: by itself V8 lets it grow to four times
  // what is alive, a gigabyte with ten thousand actors.
  "--heap-growing-percent=50",
  // Else what outlived a rush of checks is put into the old generation from then on, where most of it is garbage at once.
  "--no-allocation-site-pretenuring"
]

/** For the rest of the process; a V8 that does not know a flag says so and goes on. */
export const tuneGarbageCollection = Effect.sync(() => flags.forEach((flag) => setFlagsFromString(flag)))
