/** The clock of a machine whose time is wrong. */
import { Clock, Effect } from "effect"

/** The real clock with an offset: `wall` ms for the wall clock, or `both` for the wall and the monotonic clock. */
export const skewedClock = (off: { readonly wall: () => number } | { readonly both: number }): Clock.Clock => {
  const real = Clock.make()
  const millis = () => real.unsafeCurrentTimeMillis() + ("both" in off ? off.both : off.wall())
  const nanos = () => real.unsafeCurrentTimeNanos() + BigInt("both" in off ? off.both : 0) * 1_000_000n
  return {
    ...real,
    unsafeCurrentTimeMillis: millis,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) => real.sleep(duration)
  }
}
