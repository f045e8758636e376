/** Gives a process the database's time where its own clock is off: rounds, slots and deadlines of all machines are of one time. */
import { Effect, Layer } from "effect"
import { skewInWords } from "../../domain/check/probe/ClockSkew.ts"
import { repeatForever } from "../../loops/RestartForever.ts"
import { shiftedClock } from "../../loops/ShiftedClock.ts"
import { DatabaseClock } from "./DatabaseClock.ts"

/** A clock that is off by less is used as it is, ms: it is smoother than the estimate. */
const tolerable = 500

/** Seconds between two readings of the database's time. A clock that seems to have been set is compared sooner. */
const refreshSec = 5

export const layer = Layer.unwrapScoped(Effect.gen(function*() {
  const database = yield* DatabaseClock
  const machine = yield* Effect.clock
  let wasOff = false
  let waited = 0

  const isOff = (wall: number): boolean => Math.abs(wall - database.estimate()) > tolerable

  const report = Effect.suspend(() => {
    const wall = machine.unsafeCurrentTimeMillis()
    if (isOff(wall) === wasOff) return Effect.void
    wasOff = !wasOff
    const off = skewInWords(wall - database.estimate())
    return wasOff
      ? Effect.logWarning(
        `This machine's clock is ${off} compared with the database's, whose time is used. Set it, for example with NTP.`
      )
      : Effect.logInfo("This machine's clock agrees with the database's again")
  })

  const refresh = Effect.suspend(() => {
    waited++
    if (waited < refreshSec && !database.isDoubtful()) return Effect.void
    // Reset only by a reading: a turn without one after a failure would say that it works again.
    return Effect.zipRight(database.now, report).pipe(Effect.tap(() => Effect.sync(() => (waited = 0))))
  })

  yield* database.now
  yield* report
  yield* Effect.forkScoped(repeatForever("Following the database's clock", "1 second", refresh))
  // Each check reads the time, and many checks read the same.
  let known = { wall: Number.NaN, time: 0 }
  return Layer.setClock(shiftedClock(machine, (wall) => {
    if (known.wall !== wall) known = { wall, time: isOff(wall) ? database.estimate() : wall }
    return known.time
  }))
}))
