/** Records while pings are accepted, and stores those that had to be refused as soon as the database accepts them. */
import { Cause, Effect, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import { byHalves } from "../../loops/ByHalves.ts"
import { makeOutage, reasonOf } from "../../loops/Outage.ts"
import { Listening, listeningBeat } from "../../store/monitor/Listening.ts"
import type { Ping } from "../../store/monitor/Ping.ts"
import { PingLog } from "../../store/monitor/PingLog.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { refusesContent } from "../../store/postgres/PostgresErrors.ts"
import { pingsTaken } from "./PingAnswers.ts"
import { PortOpen } from "./PortOpen.ts"
import type { RefusedPings } from "./RefusedPings.ts"

/** Pings per statement. */
const maxBatch = 1000

/** Stores the refused pings. A ping is left out if a later one of its job was stored meanwhile: it would change nothing, or undo it. */
const makeStoreRefused = (refused: RefusedPings, processId: string) =>
  Effect.gen(function*() {
    const log = yield* PingLog
    const clock = yield* DatabaseClock
    const listening = yield* Listening

    const store = Effect.fn("KeepListening.store")(function*(pings: ReadonlyArray<Ping>) {
      const wanted = yield* log.unheard(pings)
      if (wanted.length === 0) return
      const storedOf = yield* log.write(wanted, clock.estimate(), true)
      for (const ping of wanted) if (storedOf(ping.tokenHash)?.locked === true) refused.keep(ping)
      pingsTaken.inc({ fate: "stored_late" }, wanted.length)
    })
    const drop = (_ping: Ping, cause: Cause.Cause<unknown>) =>
      Effect.zipRight(
        Effect.sync(refused.lose),
        Effect.logError(`A ping cannot be stored, and is dropped: ${reasonOf(Cause.squash(cause))}`)
      )
    const batch = Effect.suspend(() => {
      const pings = refused.take(maxBatch)
      // A ping that the database refuses must not keep others waiting, nor this process from saying that it listens.
      const stored = byHalves(pings, { work: store, isTheirFault: refusesContent, leaveOut: drop })
      return Effect.tapErrorCause(stored, () => Effect.sync(() => refused.putBack(pings)))
    })

    return Effect.gen(function*() {
      // A bounded number: rows that stay locked are tried again with the next beat.
      for (let left = Math.ceil(refused.size() / maxBatch); left > 0; left--) yield* batch
      if (refused.takeLoss()) yield* listening.interrupted(processId)
    })
  })

/** Keeps the record of this process while pings are accepted: without any such record, no heartbeat is considered late. */
export const makeKeepListening = Effect.fn("KeepListening.make")(function*(refused: RefusedPings) {
  const listening = yield* Listening
  const clock = yield* DatabaseClock
  const portOpen = yield* PortOpen
  const processId = randomUUID()
  const storeRefused = yield* makeStoreRefused(refused, processId)
  const outage = makeOutage("Recording that pings are accepted", 3)

  const begun = Effect.retry(listening.begin(processId), Schedule.spaced("1 second"))
  const beat = Effect.all([listening.beat(processId), clock.now, storeRefused, outage.worked], { discard: true }).pipe(
    Effect.catchAllCause((cause) => outage.failed(reasonOf(Cause.squash(cause))))
  )
  // A process that cannot open its port receives no pings.
  return Effect.all([portOpen, begun, Effect.forever(Effect.delay(beat, listeningBeat))], { discard: true })
})
