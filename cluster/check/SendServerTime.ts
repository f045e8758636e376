/** Sends the probes the database's time, so that their own clocks may be off. */
import { Effect } from "effect"
import { Bus } from "../../src/bus/Bus.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { singletonEvery } from "../SingletonEvery.ts"

export const SendServerTime = singletonEvery(
  "SendServerTime",
  "1 second",
  Effect.gen(function*() {
    const bus = yield* Bus
    const clock = yield* DatabaseClock
    // The answer has aged on its way, which the estimate takes into account. A time that waits for the bus is worth nothing.
    const now = Effect.map(clock.now, () => clock.estimate())
    return Effect.ignore(Effect.timeout(bus.publishTime(now), "5 seconds"))
  })
)
