/** When the worker of this process last beat: a probe that cannot beat is not ready, though it may still answer. */
import { Data, Effect } from "effect"

/** Beats are sent every 10 s, and each checks itself for up to 7 s first. */
const silence = 30_000

class NoBeat extends Data.TaggedError("NoBeat")<{ readonly message: string }> {}

export class Pulse extends Effect.Service<Pulse>()("belltower/Pulse", {
  effect: Effect.gen(function*() {
    const clock = yield* Effect.clock
    /** Not affected when the machine's time is set. */
    const steady = () => Number(clock.unsafeCurrentTimeNanos()) / 1e6
    let last: number | null = null
    return {
      felt: Effect.sync(() => {
        last = steady()
      }),
      /** Fails while the worker does not beat; for readiness. */
      check: Effect.suspend(() =>
        last !== null && steady() - last <= silence
          ? Effect.void
          : new NoBeat({ message: "The probe worker has not beaten for 30 s; see its log" })
      )
    }
  })
}) {}
