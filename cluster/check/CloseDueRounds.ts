/** Closes the open rounds of this runner's monitors whose deadline has passed, in turns of workspaces. */
import { Cause, Clock, Effect, FiberSet, Queue } from "effect"
import type { Snapshot } from "../../schema/monitor/Machine.ts"
import { makeFairQueue } from "../../src/domain/tools/queues/FairQueue.ts"
import { makeFairSlots, neverFull } from "../../src/loops/FairSlots.ts"
import { makeOutage, reasonOf } from "../../src/loops/Outage.ts"
import { restartForever } from "../../src/loops/RestartForever.ts"
import type { HeldShards } from "../HeldShards.ts"
import { entityKey, MonitorEntity, type Observed } from "../monitor/MonitorProtocol.ts"
import { RoundClock } from "../monitor/RoundClock.ts"
import { CheckWriter } from "./CheckWriter.ts"

/** Actors asked at a time; few of one workspace, since those of a locked workspace answer only after the timeout. */
const asks = { slots: 256, mostPerOwner: 32 }
/** After this the round is armed again: the actor's runner may be gone. */
const askTimeout = "15 seconds"
/** An actor that could not close its round is asked again after this, ms. */
const askAgainAfter = 1000
/** A few failed asks are normal while a runner is replaced. */
const toleratedFailures = 10
const mostTogether = 1000

/** Asks actors, in turns of workspaces, to close their rounds. A round that cannot be closed is armed again. */
export const makeRoundSlots = Effect.fnUntraced(function*<E>(
  ask: (id: string) => Effect.Effect<Observed, E>,
  closed: (snapshot: Snapshot) => void
) {
  const rounds = yield* RoundClock
  const outage = makeOutage("Asking monitors to close their rounds", toleratedFailures)
  const slots = makeFairSlots(makeFairQueue<() => void>(asks), neverFull)
  const start = yield* FiberSet.makeRuntime<never>()
  const underWay = new Set<string>()

  const armAgain = (id: string) => Effect.map(Clock.currentTimeMillis, (now) => rounds.arm(id, now + askAgainAfter))

  const close = (id: string) =>
    ask(id).pipe(
      Effect.timeout(askTimeout),
      Effect.tap(outage.worked),
      Effect.map(({ counted, snapshot }) => {
        if (counted && snapshot !== null) closed(snapshot)
      }),
      Effect.catchAllCause((cause) => Effect.zipRight(armAgain(id), outage.failed(reasonOf(Cause.squash(cause)))))
    )

  /** Begins to close rounds, and waits for none of them. */
  return (ids: ReadonlyArray<string>) =>
    Effect.forEach(ids, (id) => {
      // A monitor may have its next deadline while it waits for its turn.
      if (underWay.has(id)) return armAgain(id)
      underWay.add(id)
      return Effect.sync(() => {
        start(Effect.ensuring(slots(entityKey(id).workspaceId, close(id)), Effect.sync(() => underWay.delete(id))))
      })
    }, { discard: true })
})

export const makeCloseDueRounds = Effect.fnUntraced(function*(shards: HeldShards) {
  const rounds = yield* RoundClock
  const writer = yield* CheckWriter
  const monitor = yield* MonitorEntity.client
  const snapshots = yield* Queue.unbounded<Snapshot>()
  const begin = yield* makeRoundSlots((id) => monitor(id).CloseDue(), (snapshot) => snapshots.unsafeOffer(snapshot))

  const write = Effect.flatMap(
    Queue.takeBetween(snapshots, 1, mostTogether),
    (some) => writer.add([], [...some], true)
  )
  yield* Effect.forkScoped(restartForever("Writing closed rounds", Effect.forever(write)))

  return {
    armed: rounds.armed,
    // An actor that moved has set its deadline on its new runner.
    close: Effect.flatMap(rounds.due, (due) => begin(due.filter((id) => !shards.isElsewhere(id))))
  }
})
