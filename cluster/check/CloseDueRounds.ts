/** Closes the open rounds of this runner's monitors whose deadline has passed. */
import { Cause, Clock, Effect } from "effect"
import { makeOutage, reasonOf } from "../../src/loops/Outage.ts"
import type { HeldShards } from "../HeldShards.ts"
import { MonitorEntity } from "../monitor/MonitorProtocol.ts"
import { RoundClock } from "../monitor/RoundClock.ts"
import { CheckWriter } from "./CheckWriter.ts"

const asksAtOnce = 32
/** After this the round is armed again: the actor's runner may be gone. */
const askTimeout = "15 seconds"
/** An actor that could not close its round is asked again after this, ms. */
const askAgainAfter = 1000
/** A few failed asks are normal while a runner is replaced. */
const toleratedFailures = 10

export const makeCloseDueRounds = Effect.fnUntraced(function*(shards: HeldShards) {
  const rounds = yield* RoundClock
  const writer = yield* CheckWriter
  const monitor = yield* MonitorEntity.client
  const outage = makeOutage("Asking monitors to close their rounds", toleratedFailures)

  /** A round that cannot be closed is armed again, so that the others do not wait for it. */
  const close = (id: string) =>
    monitor(id).CloseDue().pipe(
      Effect.timeout(askTimeout),
      Effect.tap(outage.worked),
      Effect.map(({ counted, snapshot }) => counted ? snapshot : null),
      Effect.catchAllCause((cause) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          rounds.arm(id, now + askAgainAfter)
          return Effect.as(outage.failed(reasonOf(Cause.squash(cause))), null)
        })
      )
    )

  const closeAll = Effect.gen(function*() {
    // An actor that moved has set its deadline on its new runner.
    const due = (yield* rounds.due).filter((id) => !shards.isElsewhere(id))
    const closed = yield* Effect.forEach(due, close, { concurrency: asksAtOnce })
    const snapshots = closed.filter((snapshot) => snapshot !== null)
    if (snapshots.length > 0) yield* writer.add([], snapshots, true)
  })

  return {
    /** Waits while there are no open rounds. */
    armed: rounds.armed,
    close: closeAll
  }
})
