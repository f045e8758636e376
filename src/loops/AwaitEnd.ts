/** At shutdown, what is under way gets a moment to end: a delivery would be made again, and a check be lost. */
import { Clock, Effect } from "effect"

const lookEvery = "20 millis"
const looks = 100

/** Waits until nothing is left, 2 s at most, by the real clock. */
export const awaitEnd = (left: () => number): Effect.Effect<void> =>
  Effect.sleep(lookEvery).pipe(
    Effect.repeat({ while: () => left() > 0, times: looks }),
    Effect.withClock(Clock.make()),
    Effect.when(() => left() > 0),
    Effect.asVoid
  )
