/** The time of the servers on a probe, whose own clock may be off: regions vote on slots of the same time. */
import { Effect, Stream } from "effect"
import { Bus } from "../bus/Bus.ts"
import { makeClockSkew, reasonAgainst, skewInWords } from "../domain/check/probe/ClockSkew.ts"
import { shiftedClock } from "../loops/ShiftedClock.ts"
import type { Trust } from "./Trust.ts"

/** How long the worker waits for the servers' time before it begins. */
const firstWithin = "5 seconds"

const report = (skew: number): Effect.Effect<void> =>
  skew === 0
    ? Effect.logInfo("This machine's clock agrees with the servers' again")
    : Effect.logWarning(
      `This machine's clock is ${skewInWords(skew)} compared with the servers'; checks use theirs. Set it, for example with NTP.`
    )

/** In one process with the servers, the time is the same. */
export const makeSharedTime = (trust: Trust) =>
  Effect.gen(function*() {
    const { times } = yield* Bus
    const machine = yield* Effect.clock
    const skew = makeClockSkew()
    const settled = yield* Effect.makeLatch(times === null)

    const observe = (theirs: number) =>
      Effect.suspend(() => {
        const before = skew.correction()
        skew.hear({
          theirs,
          wall: machine.unsafeCurrentTimeMillis(),
          steady: Number(machine.unsafeCurrentTimeNanos()) / 1e6
        })
        const after = skew.correction()
        trust.clock = reasonAgainst(after)
        if (skew.measured() !== null) settled.unsafeOpen()
        return after === before ? Effect.void : report(after)
      })

    return {
      clock: shiftedClock(machine, (wall) => wall - skew.correction()),
      /** The measured skew of the machine's clock, ms, positive if it is ahead; null if it was not measured. */
      skewMs: skew.measured,
      /** Completes once the skew was measured; soon, if no server publishes the time. */
      known: Effect.asVoid(Effect.timeoutOption(settled.await, firstWithin)),
      follow: times === null ? Effect.never : Stream.runForEach(times, observe)
    }
  })
export type SharedTime = Effect.Effect.Success<ReturnType<typeof makeSharedTime>>
