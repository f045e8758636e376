/** Sends the probes the database's time, so that their own clocks may be off. */
import { Effect } from "effect"
import { Bus } from "../../src/bus/Bus.ts"
import { withEmptyContext } from "../../src/loops/WorkPriority.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { singletonEvery } from "../SingletonEvery.ts"

export const SendServerTime = singletonEvery(
  "SendServerTime",
  "2 seconds",
  Effect.gen(function*() {
    const bus = yield* Bus
    const clock = yield* DatabaseClock
    // The process reads the database's time every few seconds (`SharedClock.ts`); the estimate needs no statement of its own.
    const known = Effect.suspend((): Effect.Effect<unknown> => clock.isDoubtful() ? clock.now : Effect.void)
    const now = Effect.map(known, () => clock.estimate())
    // A time that waits for the bus is worth nothing: the bus gives it up after 5 s.
    return withEmptyContext(Effect.ignore(bus.publishTime(now)))
  })
)
