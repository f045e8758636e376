/** Keeps the heap small: by itself V8 lets it grow to four times what is alive, a gigabyte with ten thousand actors. */
import { Effect } from "effect"
import { setFlagsFromString } from "node:v8"

/** The old generation is collected once it has grown by this share, in percent. */
const growth = 50

/** For the rest of the process; a V8 that does not know the flag says so and goes on. */
export const tuneGarbageCollection = Effect.sync(() => setFlagsFromString(`--heap-growing-percent=${growth}`))
