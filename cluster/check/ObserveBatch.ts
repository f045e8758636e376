/** Passes a batch of check results to the actors of their monitors on this runner, each monitor's results in order. */
import { Effect, Exit, Option } from "effect"
import type { CheckResult } from "../../schema/check/Bus.ts"
import type { Snapshot } from "../../schema/monitor/Machine.ts"
import { observationOf } from "../../src/domain/check/CheckView.ts"
import type { CountedResult } from "../../src/store/check/Checks.ts"
import type { HeldShards } from "../HeldShards.ts"
import { LocalActors } from "../monitor/LocalActors.ts"
import { entityId, MonitorEntity, type Observed } from "../monitor/MonitorProtocol.ts"
import { makeRetryingAsk } from "../monitor/RetryingAsk.ts"

/** Each ask in flight holds memory that survives the next garbage collection. */
const asksAtOnce = 32
/** An ask that takes longer is repeated: the actor's shard may have moved. */
const askTimeout = "15 seconds"

/** For a check whose actor is broken. */
const notCounted: Observed = { counted: false, moved: false, snapshot: null }

/** Collects what must be written for a batch. */
const makeBatchOutcome = () => {
  const counted: Array<CountedResult> = []
  const snapshots: Array<Snapshot> = []
  let moved = false
  let complete = true
  const add = (result: CheckResult, observed: Observed): void => {
    counted.push({ result, counted: observed.counted })
    if (observed.snapshot !== null) snapshots.push(observed.snapshot)
    moved ||= observed.moved
  }
  const leaveOut = (): void => {
    complete = false
  }
  return { counted, snapshots, moved: () => moved, isComplete: () => complete, add, leaveOut }
}
type BatchOutcome = ReturnType<typeof makeBatchOutcome>

/** The results of one monitor, asked one after another in order; different monitors are asked concurrently. */
type MonitorQueue = Array<CheckResult>

type Ask<E> = (result: CheckResult) => Effect.Effect<Observed, E>

/** Asks for each result of a monitor, and removes the answered ones from its queue. */
const drain = <E>(queue: MonitorQueue, outcome: BatchOutcome, ask: Ask<E>) =>
  Effect.forEach([...queue], (result) =>
    Effect.map(ask(result), (observed) => {
      queue.shift()
      outcome.add(result, observed)
    }), { discard: true })

/**
 * Most checks change nothing, and most of their actors live in this process: a plain loop serves those. A check that needs
 * a message goes into its monitor's queue, and so do the monitor's later checks, to keep their order.
 */
const observeLocally = (
  batch: ReadonlyArray<CheckResult>,
  outcome: BatchOutcome,
  now: number,
  tryObserve: (result: CheckResult, now: number) => Option.Option<Observed | null>
): ReadonlyArray<MonitorQueue> => {
  const queues = new Map<string, MonitorQueue>()
  for (const result of batch) {
    const queue = queues.get(result.monitorId)
    const observed = queue === undefined ? Option.getOrNull(tryObserve(result, now)) : null
    if (observed !== null) outcome.add(result, observed)
    else if (queue !== undefined) queue.push(result)
    else queues.set(result.monitorId, [result])
  }
  return [...queues.values()]
}

/** The observer of batches; `isTrusted` says whether a result may count. */
export const makeObserveBatch = Effect.fnUntraced(function*(
  shards: HeldShards,
  isTrusted: (result: CheckResult) => boolean
) {
  const localActors = yield* LocalActors
  const monitor = yield* MonitorEntity.client
  const retryingAsk = yield* makeRetryingAsk

  const idOf = (result: CheckResult) => entityId(result.workspaceId, result.monitorId)

  /** A throw here must not fail the batch; fall back to asking the actor. */
  const tryObserve = Option.liftThrowable((result: CheckResult, now: number) =>
    localActors.tryObserve(idOf(result), observationOf(result, isTrusted(result)), now)
  )

  const ask = (result: CheckResult) => monitor(idOf(result)).Observe(observationOf(result, isTrusted(result)))
  /** Asks until the actor has answered; the result stays with this batch meanwhile. */
  const askRetrying = (result: CheckResult) =>
    Effect.map(
      retryingAsk(result.monitorId, ask(result), () => shards.isElsewhere(idOf(result))),
      Option.getOrElse(() => notCounted)
    )
  /** Results of an actor that moved to another runner are left out; their batch is delivered again, to that runner. */
  const drainOrLeave = (queue: MonitorQueue, outcome: BatchOutcome) =>
    Effect.catchTag(drain(queue, outcome, askRetrying), "ActorElsewhere", () => Effect.sync(outcome.leaveOut))

  /** One timeout covers the first attempt of all queues: a timer per ask would cost as much as the ask. */
  const askActors = Effect.fnUntraced(function*(queues: ReadonlyArray<MonitorQueue>, outcome: BatchOutcome) {
    const here = queues.filter(([first]) => first !== undefined && !shards.isElsewhere(idOf(first)))
    const done = yield* Effect.forEach(here, (queue) => Effect.exit(drain(queue, outcome, ask)), {
      concurrency: asksAtOnce
    })
      .pipe(
        Effect.timeoutOption(askTimeout),
        Effect.map(Option.exists((exits) => exits.every(Exit.isSuccess)))
      )
    if (done && here.length === queues.length) return
    yield* Effect.forEach(queues, (queue) => drainOrLeave(queue, outcome), { concurrency: asksAtOnce, discard: true })
  })

  return (batch: ReadonlyArray<CheckResult>, now: number): Effect.Effect<BatchOutcome> =>
    Effect.suspend(() => {
      const outcome = makeBatchOutcome()
      const queues = observeLocally(batch, outcome, now, tryObserve)
      return queues.length === 0 ? Effect.succeed(outcome) : Effect.as(askActors(queues, outcome), outcome)
    })
})
