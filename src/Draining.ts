/** The time between the signal to stop and the end of serving, in which load balancers notice that the process is not ready. */
import { Duration, Effect } from "effect"
import type { DrainState } from "./http/server/Draining.ts"

/** The time of an api, s: more than most load balancers take between two looks at `/readyz`. */
export const usualDrainSec = 5

const signals = ["SIGTERM", "SIGINT"] as const

/** Completes at the next signal to stop. The listeners of the first one are gone by then. */
const nextSignal = Effect.async<void>((resume) => {
  const stop = () => resume(Effect.void)
  for (const signal of signals) process.on(signal, stop)
  return Effect.sync(() => signals.forEach((signal) => process.off(signal, stop)))
})

/** Reports not ready and goes on serving for so many seconds, or until a second signal. */
export const draining = (state: DrainState, seconds: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    state.isDraining = true
    if (seconds === 0) return Effect.void
    return Effect.zipRight(
      Effect.logInfo(`Stopping in ${seconds} s, so that load balancers notice; a second signal ends the wait`),
      // The fiber is interrupted already: in an interruptible region of its own, it would not wait at all.
      Effect.timeoutOption(Effect.interruptible(nextSignal), Duration.seconds(seconds))
    )
  })
