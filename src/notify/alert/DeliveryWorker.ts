/** Attempts due deliveries of alerts: claims them lane by lane while there are slots, and writes the results back. */
import { Cause, DateTime, Duration, Effect, FiberSet } from "effect"
import type { ChannelId, WorkspaceId } from "../../../schema/Ids.ts"
import { parsedUrl } from "../../../schema/UrlText.ts"
import { DeliveryVerdict, internalError, isUnanswered, judge } from "../../domain/alert/DeliveryVerdict.ts"
import { type QueueLane, queueLaneNames, queueLanes } from "../../domain/alert/QueueLanes.ts"
import { longestFallback } from "../../domain/tools/time/FallbackPause.ts"
import type { ClaimedQueue, HeldDelivery } from "../../store/alert/DeliveryClaim.ts"
import { DeliveryQueues, farthestWait, lease } from "../../store/alert/DeliveryQueues.ts"
import { DeliveryResults, type Outcome, Postponed, type ReturnedQueue, type Settled } from "../../store/alert/DeliveryResults.ts"
import { DatabaseClock, makeSetBackWatch } from "../../store/postgres/DatabaseClock.ts"
import { makeDeliveryEngine, type WorkerOptions } from "../delivery/DeliveryEngine.ts"
import type { StartAttempt } from "../delivery/DeliveryRuns.ts"
import { type KnownDeliveries, makeKnownDeliveries } from "../delivery/KnownDeliveries.ts"
import { makeResultWriter } from "../delivery/ResultWriter.ts"
import { attempt, type AttemptServices } from "./Attempt.ts"
import { makeTraceAttempt } from "./TraceAttempt.ts"

/** The pause while something is due that cannot be taken: no slot is free, or another runner has its turn. */
const shortPause = Duration.millis(50)
/** The pause after a claim; deliveries that become due end it early. */
const claimPause = Duration.millis(10)
/** The pause of a worker that has no part of the work yet, because it has just started, or no more. */
const noSharePause = Duration.millis(250)

/** A claimed queue of a channel, until the last of its deliveries has a result. */
interface HeldQueue {
  readonly workspaceId: WorkspaceId
  readonly channelId: ChannelId
  heldUntil: DateTime.Utc
  left: number
  slow: boolean | null
}

interface QueuedDelivery extends HeldDelivery {
  readonly queue: HeldQueue
}

const heldOf = ({ channelId, deliveries, heldUntil, workspaceId }: ClaimedQueue) => {
  const queue: HeldQueue = { workspaceId, channelId, heldUntil, left: deliveries.length, slow: null }
  return { queue, deliveries: deliveries.map((delivery): QueuedDelivery => ({ ...delivery, queue })) }
}

/** The result of an attempt; an attempt that was not made took no time. */
interface Ended {
  readonly verdict: DeliveryVerdict
  readonly latencyMs?: number
}

const disabled: Ended = { verdict: DeliveryVerdict.Dead({ statusCode: null, error: "The channel is disabled" }) }

/** The result of an attempt with an internal error. */
const brokenAt = (now: () => number) => ({ attempts }: HeldDelivery): Ended => ({
  verdict: judge(internalError, attempts + 1, DateTime.unsafeMake(now()))
})

/** Chat services have one host for all channels of a type; their URLs are sealed. */
const hostOf = ({ type, url }: HeldDelivery): string => (url === null ? null : parsedUrl(url))?.hostname ?? type

/** Attempts are fibers, which end with the scope. One with an internal error is `broken`. */
const makeAttempts = Effect.fnUntraced(function*(
  now: Effect.Effect<DateTime.Utc>,
  timeoutMs: number,
  broken: (delivery: HeldDelivery) => Ended
) {
  const fork = yield* FiberSet.makeRuntime<AttemptServices>()
  const traced = yield* makeTraceAttempt
  const start: StartAttempt<HeldDelivery, Ended> = (delivery, done, permits) => {
    const ended = delivery.enabled
      ? traced(delivery, attempt(delivery, now, timeoutMs, permits))
      : Effect.succeed(disabled)
    const sound = Effect.catchAllDefect(ended, (defect) =>
      Effect.as(
        Effect.logError(`Delivery ${delivery.id} failed with an internal error`, Cause.die(defect)),
        broken(delivery)
      ))
    fork(Effect.map(sound, done))
    return () => {}
  }
  return start
})

type Result = { readonly settled: Settled } | { readonly returned: ReturnedQueue }

/**
 * Writes results, and gives the queues of channels back, whose results must have been added before. `onMore` runs if more is due
 * in them.
 */
const makeResults = Effect.fnUntraced(function*(
  now: Effect.Effect<DateTime.Utc>,
  known: KnownDeliveries<HeldDelivery>,
  onMore: Effect.Effect<void>
) {
  const results = yield* DeliveryResults
  return yield* makeResultWriter<Result>({
    of: "deliveries",
    workspaceOf: (result) => "settled" in result ? result.settled.delivery.workspaceId : result.returned.workspaceId,
    write: (batch, patienceMs) => {
      const settled = batch.flatMap((result) => "settled" in result ? [result.settled] : [])
      const returned = batch.flatMap((result) => "returned" in result ? [result.returned] : [])
      return now.pipe(
        Effect.flatMap((at) => results.settle(settled, returned, at, patienceMs)),
        Effect.flatMap((more) => more ? onMore : Effect.void)
      )
    },
    ended: (batch) => {
      for (const result of batch) {
        if ("settled" in result && result.settled.outcome._tag !== "Postponed") known.forget(result.settled.delivery)
      }
    }
  })
})

/** Answers when each lane is ready, after deliveries that a wrong clock scheduled were made due. */
const makeReadyAt = (queues: DeliveryQueues) => {
  const wasSetBack = makeSetBackWatch()
  return Effect.fn("DeliveryWorker.readyAt")(function*(now: DateTime.Utc) {
    const { farthest, ...ready } = yield* queues.readyAt
    const isSetBack = wasSetBack(now)
    const isTooFar = farthest !== null && DateTime.greaterThan(farthest, DateTime.addDuration(now, farthestWait))
    if (!isSetBack && !isTooFar) return ready
    yield* queues.recall(now)
    const { farthest: _, ...recalled } = yield* queues.readyAt
    return recalled
  })
}

/** Attempts end with the scope; deliveries in flight are then due again immediately. */
export const makeDeliveryWorker = Effect.fn("DeliveryWorker.make")(function*(options: WorkerOptions) {
  const queues = yield* DeliveryQueues
  const readyAt = makeReadyAt(queues)
  const database = yield* DatabaseClock
  const estimate = Effect.sync(() => DateTime.unsafeMake(database.estimate()))
  const known = makeKnownDeliveries<HeldDelivery>(({ id }) => id)
  const results = yield* makeResults(estimate, known, options.wake)
  const broken = brokenAt(database.estimate)

  const settle = (delivery: QueuedDelivery, outcome: Outcome, latencyMs?: number): void => {
    results.add({ settled: { delivery, held: delivery.queue, outcome, latencyMs } })
    if (--delivery.queue.left === 0) results.add({ returned: delivery.queue })
  }
  const { admit, awaitRoom, slots, steady } = yield* makeDeliveryEngine<QueuedDelivery, Ended, AttemptServices>({
    ...options,
    of: "deliveries",
    leaseMs: Duration.toMillis(lease),
    starts: { perTurn: Infinity, perEnd: Infinity },
    hostOf,
    known,
    renew: (deliveries) => queues.renew([...new Set(deliveries.map(({ queue }) => queue))]),
    // At the end of its lease or later, so that its queue needs no earlier turn.
    shortestWaitMs: Duration.toMillis(lease),
    attempts: makeAttempts(estimate, options.timeoutMs, broken),
    isUnanswered: ({ verdict }) => isUnanswered(verdict),
    broken,
    ended: (delivery, { latencyMs, verdict }, isSlow) => {
      delivery.queue.slow = isSlow || delivery.queue.slow === true
      settle(delivery, verdict, latencyMs)
    },
    postponed: (delivery, at) => settle(delivery, Postponed({ at })),
    flush: Effect.zipRight(results.flush, queues.notify)
  })

  const claim = Effect.fn("DeliveryWorker.claim")(function*(lane: QueueLane, now: DateTime.Utc) {
    const { leaves, slots: slotLane } = queueLanes[lane]
    const room = slots.room(slotLane) - Math.floor(slots.size(slotLane) * leaves)
    if (room <= 0) {
      awaitRoom()
      return 0
    }
    const claimedAt = steady()
    const except = slots.saturated(slotLane)
    const claimed = yield* queues.claim({ lane, now, room, perWorkspace: slots.perWorkspace(slotLane), except })
    const held = claimed.filter(({ supported }) => supported).map(heldOf)
    for (const { queue } of held) if (queue.left === 0) results.add({ returned: queue })
    admit(held.flatMap(({ deliveries }) => deliveries), slotLane, claimedAt)
    return claimed.length
  })

  /** Claims due deliveries, as far as there are slots, and returns how long to wait until the next step. */
  const step = Effect.gen(function*() {
    if (options.share() === 0) return noSharePause
    const now = yield* database.now
    const ready = yield* readyAt(now)
    const due = queueLaneNames.filter((lane) => ready[lane] !== null && DateTime.lessThanOrEqualTo(ready[lane], now))
    let claimed = 0
    for (const lane of due) claimed += yield* claim(lane, now)
    if (claimed > 0) return claimPause
    if (due.length > 0) return shortPause
    const next = Object.values(ready).flatMap((at) => (at === null ? [] : [DateTime.distance(now, at)]))
    return Duration.millis(Math.min(...next, Duration.toMillis(longestFallback)))
  }).pipe(Effect.withSpan("DeliveryWorker.step"))

  return { step }
})
