/** The results whose actors must be asked: those of a monitor in order, whatever their batches, and no monitor waits for another. */
import { Array as Arr, Effect, Option } from "effect"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { nextTurn } from "../../src/loops/OverTurns.ts"
import type { HeldShards } from "../HeldShards.ts"
import { entityId, type Observed } from "../monitor/MonitorProtocol.ts"
import { makeRetryingAsk } from "../monitor/RetryingAsk.ts"

/** An ask that takes longer is repeated: the actor's shard may have moved. In a storm it waits for all commits before it. */
const askTimeout = "30 seconds"

/** First asks in one turn of the event loop. If thousands started together, all would be answered only at the end. */
const begunInTurn = 64

/** The answer for a check whose actor is broken, or keeps others waiting. */
export const notCounted: Observed = { counted: false, moved: false, snapshot: null }

/** A result that waits for its actor. The first call of one of the two settles it. */
export interface Waiting {
  readonly result: CheckResult
  readonly isSettled: () => boolean
  readonly answered: (observed: Observed) => void
  /** The actor lives on another runner now, which receives the result, too. */
  readonly leftOut: () => void
}

interface MonitorQueue {
  readonly monitorId: string
  readonly entityId: string
  readonly waiting: Array<Waiting>
  isRetried: boolean
}

type Ask<E> = (result: CheckResult) => Effect.Effect<Observed, E>

/** Asks until the actor has answered; a check of a broken actor does not count. */
const makeAskUntilAnswered = <E>(shards: HeldShards, ask: Ask<E>) =>
  Effect.map(makeRetryingAsk, (retryingAsk) => ({ entityId: id }: MonitorQueue) => (result: CheckResult) =>
    Effect.map(
      retryingAsk(result.monitorId, ask(result), () => shards.isElsewhere(id)),
      Option.getOrElse(() => notCounted)
    ))

/** Asks for each result of a queue, also for those that later batches add meanwhile. */
const makeDrain = (queues: Map<string, MonitorQueue>) => {
  const drain = <F>(queue: MonitorQueue, askOne: Ask<F>): Effect.Effect<void, F> =>
    Effect.suspend(() => {
      const [first] = queue.waiting
      if (first === undefined) return Effect.sync(() => void queues.delete(queue.monitorId))
      if (first.isSettled()) {
        queue.waiting.shift()
        return drain(queue, askOne)
      }
      return Effect.flatMap(askOne(first.result), (observed) => {
        queue.waiting.shift()
        if (queue.waiting.length === 0) queues.delete(queue.monitorId)
        first.answered(observed)
        return drain(queue, askOne)
      })
    })
  return drain
}

/** The first may be under way. */
const dropSettled = (waiting: Array<Waiting>): void => {
  const left = waiting.filter((one, at) => at === 0 || !one.isSettled())
  waiting.splice(0, waiting.length, ...left)
}

/** Begins a few queues in each turn of the event loop, in the background. */
const makeStart = Effect.fnUntraced(function*<A>(begin: (fresh: ReadonlyArray<MonitorQueue>) => Effect.Effect<A>) {
  const scope = yield* Effect.scope
  const turns = yield* Effect.makeSemaphore(1)
  return (fresh: ReadonlyArray<MonitorQueue>) =>
    Effect.forEach(
      Arr.chunksOf(fresh, begunInTurn),
      (some) => turns.withPermits(1)(Effect.zipRight(begin(some), nextTurn)),
      { discard: true }
    ).pipe(
      Effect.forkIn(scope),
      Effect.asVoid
    )
})

/** The asks end with the scope. */
export const makeMonitorQueues = Effect.fnUntraced(function*<E>(shards: HeldShards, ask: Ask<E>) {
  const askUntilAnswered = yield* makeAskUntilAnswered(shards, ask)
  const scope = yield* Effect.scope
  const queues = new Map<string, MonitorQueue>()

  const drain = makeDrain(queues)

  const leaveOut = (queue: MonitorQueue) =>
    Effect.sync(() => {
      queues.delete(queue.monitorId)
      for (const { leftOut } of queue.waiting.splice(0)) leftOut()
    })

  /** Asks until the actor has answered, unless all was answered already. */
  const retry = (queue: MonitorQueue) =>
    Effect.suspend(() => {
      if (queue.isRetried || queue.waiting.length === 0) return Effect.void
      queue.isRetried = true
      return drain(queue, askUntilAnswered(queue)).pipe(
        Effect.catchTag("ActorElsewhere", () => leaveOut(queue)),
        Effect.forkIn(scope),
        Effect.asVoid
      )
    })

  const attempt = (queue: MonitorQueue) =>
    shards.isElsewhere(queue.entityId) ? retry(queue) : Effect.zipRight(Effect.exit(drain(queue, ask)), retry(queue))

  /** One timeout covers the first attempts of all queues: a timer per ask would cost as much as the ask. */
  const begin = (fresh: ReadonlyArray<MonitorQueue>) =>
    Effect.forEach(fresh, attempt, { concurrency: "unbounded", discard: true }).pipe(
      Effect.disconnect,
      Effect.timeoutOption(askTimeout),
      Effect.zipRight(Effect.forEach(fresh, retry, { discard: true })),
      Effect.forkIn(scope)
    )

  const start = yield* makeStart(begin)

  return {
    /** True while earlier results of a monitor wait. */
    has: (monitorId: string): boolean => queues.has(monitorId),
    /** Forgets the settled results of these monitors, but for one whose actor is being asked. */
    forgetSettled: (monitorIds: ReadonlySet<string>): void => {
      for (const id of monitorIds) dropSettled(queues.get(id)?.waiting ?? [])
    },
    /** Adds results in order, and starts to ask for those whose monitor had none. */
    add: (results: ReadonlyArray<Waiting>): Effect.Effect<void> =>
      Effect.suspend(() => {
        const fresh: Array<MonitorQueue> = []
        for (const one of results) {
          const { monitorId, workspaceId } = one.result
          const queue = queues.get(monitorId)
          if (queue !== undefined) queue.waiting.push(one)
          else {
            const begun = { monitorId, entityId: entityId(workspaceId, monitorId), waiting: [one], isRetried: false }
            queues.set(monitorId, begun)
            fresh.push(begun)
          }
        }
        return fresh.length === 0 ? Effect.void : start(fresh)
      })
  }
})
