/** Has the loops of a process that pause for seconds wake together. */
import { Clock, Duration, Effect } from "effect"
import { sharedPause } from "../domain/tools/time/SharedPause.ts"

const sharing = (clock: Clock.Clock): Clock.Clock => ({
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis(),
  currentTimeMillis: clock.currentTimeMillis,
  unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
  currentTimeNanos: clock.currentTimeNanos,
  sleep: (duration) => {
    const now = Number(clock.unsafeCurrentTimeNanos()) / 1e6
    return clock.sleep(Duration.millis(sharedPause(now, Duration.toMillis(duration))))
  }
})

/** Pauses and limits of whole seconds, of an effect and of the fibers that it forks, end up to 0.9 s later, or 0.1 s earlier. */
export const sharingWakes = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) => Effect.withClock(effect, sharing(clock)))
