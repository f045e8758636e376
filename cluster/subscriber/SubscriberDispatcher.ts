/** Notifies subscribers of status pages, and deletes old rows. It has its own slots, so alerts do not wait for subscribers. */
import { Effect, Layer, Queue } from "effect"
import { subscriberLimits } from "../../src/domain/alert/DeliveryLimits.ts"
import { attemptTimeoutMs } from "../../src/notify/alert/Attempt.ts"
import { DeliverySettings } from "../../src/notify/alert/DeliverySettings.ts"
import { makeBroadcastWorker } from "../../src/notify/subscriber/BroadcastWorker.ts"
import { wakeableLoop } from "../../src/services/WakeableLoop.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { Broadcasts, broadcastsSignal } from "../../src/store/subscriber/Broadcasts.ts"
import { Subscribers } from "../../src/store/subscriber/Subscribers.ts"
import { sweepHourlyInBatches } from "../../src/store/Sweep.ts"
import { DueWork } from "../DueWork.ts"
import { makeHeldShards } from "../HeldShards.ts"

const notifySubscribers = Effect.gen(function*() {
  const signal = yield* (yield* DueWork).signal("broadcasts", broadcastsSignal)
  const limits = subscriberLimits(yield* DeliverySettings)
  const { part } = yield* makeHeldShards
  const wake = Queue.offer(signal, undefined)
  const worker = yield* makeBroadcastWorker({ limits, share: part, timeoutMs: attemptTimeoutMs, wake })
  yield* wakeableLoop("Notifying subscribers", worker.step, signal)
})

const prune = Effect.gen(function*() {
  const { now } = yield* DatabaseClock
  const broadcasts = yield* Broadcasts
  const subscribers = yield* Subscribers
  yield* sweepHourlyInBatches("Old broadcasts", Effect.flatMap(now, broadcasts.prune))
  yield* sweepHourlyInBatches("Ended subscriptions", Effect.flatMap(now, subscribers.prune))
})

export const SubscriberDispatcher = Layer.scopedDiscard(Effect.zipRight(notifySubscribers, prune)).pipe(
  Layer.provide(DueWork.Default)
)
