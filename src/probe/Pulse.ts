/** When the worker of this process last beat: a probe that cannot beat is not ready, though it may still answer. */
import { Context, Data, Effect } from "effect"

/** Beats are sent every 10 s, and each checks the probe itself for up to 7 s first. */
const silence = 30_000

class NoBeat extends Data.TaggedError("NoBeat")<{ readonly message: string }> {}

/** Not affected when the machine's time is set, ms. */
const steady = Effect.clockWith((clock) => Effect.sync(() => Number(clock.unsafeCurrentTimeNanos()) / 1e6))

export const makePulse = () => {
  let last: number | null = null
  return {
    felt: Effect.map(steady, (now) => {
      last = now
    }),
    /** Fails while the worker does not beat; for readiness. */
    check: Effect.flatMap(steady, (now) =>
      last !== null && now - last <= silence
        ? Effect.void
        : new NoBeat({ message: "The probe worker has not beaten for 30 s; see its log" }))
  }
}

/** A process has one worker. */
export class Pulse extends Context.Reference<Pulse>()("belltower/Pulse", { defaultValue: makePulse }) {}
