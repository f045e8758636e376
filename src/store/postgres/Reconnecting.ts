/** How connections outside the pool are opened again. */
import { Schedule } from "effect"

/** From 0.1 s, doubling, to one attempt every 5 s; starts over after a minute without a failure. */
export const reconnecting = Schedule.exponential("100 millis").pipe(
  Schedule.union(Schedule.spaced("5 seconds")),
  Schedule.resetAfter("1 minute")
)
