/** The clock of a machine that is off. */
import { Clock, Effect } from "effect"

/** As the real one, but for what it shows: `wall` ms off, or `both` its time and its steady count. */
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
