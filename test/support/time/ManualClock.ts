/** A clock that a test moves: in steps like time itself, or in one jump, forward or back, which TestClock does not support. */
import { Clock, Duration, Effect } from "effect"

export interface ManualClock {
  readonly clock: Clock.Clock
  /** Lets `seconds` pass in steps of 200 ms, and runs everything that falls due on the way. */
  readonly pass: (seconds: number) => Effect.Effect<void>
  /** Moves the clock in one step: fibers that sleep past that point wake only now. */
  readonly jump: (ms: number) => Effect.Effect<void>
}

const stepMs = 200

/** One turn of the event loop: everything that can run has run. */
const turn = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

export const makeManualClock = (start: number): ManualClock => {
  let now = start
  /** Sleeps end by elapsed time, as real ones do, whatever the clock shows. It is what the steady clock counts. */
  let elapsed = 0
  let sleepers: Array<{ readonly until: number; readonly wake: () => void }> = []

  const move = (ms: number) =>
    Effect.suspend(() => {
      now += ms
      elapsed += Math.max(ms, 0)
      const awake = sleepers.filter(({ until }) => until <= elapsed)
      sleepers = sleepers.filter(({ until }) => until > elapsed)
      for (const { wake } of awake) wake()
      return Effect.repeatN(turn, 2)
    })

  const clock: Clock.Clock = {
    ...Clock.make(),
    unsafeCurrentTimeMillis: () => now,
    unsafeCurrentTimeNanos: () => BigInt(start + elapsed) * 1_000_000n,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanos: Effect.sync(() => BigInt(start + elapsed) * 1_000_000n),
    sleep: (duration) =>
      Effect.async((resume) => {
        const sleeper = { until: elapsed + Duration.toMillis(duration), wake: () => resume(Effect.void) }
        sleepers.push(sleeper)
        return Effect.sync(() => {
          sleepers = sleepers.filter((other) => other !== sleeper)
        })
      })
  }
  return { clock, jump: move, pass: (seconds) => Effect.repeatN(move(stepMs), (seconds * 1000) / stepMs - 1) }
}
