/** Keeps the heap small: V8 lets it grow to four times what is alive before it looks, which ten thousand actors make a gigabyte. */
import { Effect } from "effect"
import { setFlagsFromString } from "node:v8"

/** The old generation is collected once it has grown by this share, in percent. */
const growth = 50

export const limitHeapGrowth = Effect.sync(() => setFlagsFromString(`--heap-growing-percent=${growth}`))
