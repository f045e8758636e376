/** Turns events into deliveries to alert channels, attempts them, and deletes old ones. */
import { Duration, Effect, Layer, Queue } from "effect"
import { attemptTimeoutMs } from "../../src/notify/alert/Attempt.ts"
import { DeliverySettings } from "../../src/notify/alert/DeliverySettings.ts"
import { makeDeliveryWorker } from "../../src/notify/alert/DeliveryWorker.ts"
import { planDeliveries } from "../../src/notify/alert/PlanDeliveries.ts"
import { AlertedChannels } from "../../src/store/alert/AlertedChannels.ts"
import { Deliveries } from "../../src/store/alert/Deliveries.ts"
import { deliveriesSignal } from "../../src/store/alert/DeliveryQueues.ts"
import { FanOut } from "../../src/store/alert/FanOut.ts"
import { eventsSignal } from "../../src/store/event/EventLog.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { sweepHourlyInBatches } from "../../src/store/Sweep.ts"
import { wakeableLoop, wakeSignal } from "../WakeableLoop.ts"

/** Events fanned out in one transaction. */
const fanOutBatch = 100

/** Finds events whose notification was lost. */
const longestPause = Duration.seconds(5)

const fanOutEvents = Effect.gen(function*() {
  const fanOut = yield* FanOut
  const signal = yield* wakeSignal(eventsSignal)
  const step = fanOut.step(fanOutBatch, planDeliveries).pipe(
    Effect.map((count) => (count === fanOutBatch ? Duration.zero : longestPause))
  )
  yield* wakeableLoop("Turning events into deliveries", step, signal)
})

const attemptDeliveries = Effect.gen(function*() {
  const signal = yield* wakeSignal(deliveriesSignal)
  const limits = yield* DeliverySettings
  const worker = yield* makeDeliveryWorker({ limits, timeoutMs: attemptTimeoutMs, wake: Queue.offer(signal, undefined) })
  yield* wakeableLoop("Attempting deliveries", worker.step, signal)
})

const pruneDeliveries = Effect.gen(function*() {
  const { now } = yield* DatabaseClock
  const deliveries = yield* Deliveries
  const alerted = yield* AlertedChannels
  yield* sweepHourlyInBatches("Old deliveries", Effect.flatMap(now, deliveries.prune))
  yield* sweepHourlyInBatches("Channels of old incidents", Effect.flatMap(now, alerted.prune))
})

export const AlertDispatcher = Layer.scopedDiscard(
  Effect.all([fanOutEvents, attemptDeliveries, pruneDeliveries], { discard: true })
)
