/** A clock that shows another time than the machine's; its steady time and its sleeps are the machine's. */
import { Clock, Effect } from "effect"

/** `correct` turns the machine's time into that of the clock, ms since 1970; it is called for each reading, so it must be cheap. */
export const shiftedClock = (machine: Clock.Clock, correct: (wall: number) => number): Clock.Clock => {
  const now = () => Math.floor(correct(machine.unsafeCurrentTimeMillis()))
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: now,
    currentTimeMillis: Effect.sync(now),
    unsafeCurrentTimeNanos: () => machine.unsafeCurrentTimeNanos(),
    currentTimeNanos: machine.currentTimeNanos,
    sleep: (duration) => machine.sleep(duration)
  }
}
