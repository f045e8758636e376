/** Sets V8's collector to a server's ways: little memory, and no helpers for a job that one thread has done sooner. */
import { Effect } from "effect"
import { setFlagsFromString } from "node:v8"

const flags = [
  // By itself V8 lets the heap grow to four times what is alive before it looks: a gigabyte with ten thousand actors.
  "--heap-growing-percent=50",
  // Little survives a check, and waking four helpers for that costs more than doing it (a quarter of a check's CPU).
  "--no-parallel-scavenge"
]

/** For the rest of the process; a V8 that does not know a flag says so and goes on. */
export const tuneGarbageCollection = Effect.sync(() => flags.forEach((flag) => setFlagsFromString(flag)))
