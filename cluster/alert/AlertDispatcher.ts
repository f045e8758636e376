/** Turns events into deliveries to alert channels, attempts them, and deletes old ones. */
import { Duration, Effect, Layer, Queue } from "effect"
import { attemptTimeoutMs } from "../../src/notify/alert/Attempt.ts"
import { makeDeliveryWorker } from "../../src/notify/alert/DeliveryWorker.ts"
import { planDeliveries } from "../../src/notify/alert/PlanDeliveries.ts"
import { Deliveries, deliveriesSignal } from "../../src/store/alert/Deliveries.ts"
import { FanOut } from "../../src/store/alert/FanOut.ts"
import { eventsSignal } from "../../src/store/event/EventLog.ts"
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
  const worker = yield* makeDeliveryWorker({ onRoom: Queue.offer(signal, undefined), timeoutMs: attemptTimeoutMs })
  yield* wakeableLoop("Attempting deliveries", worker.step, signal)
})

const pruneDeliveries = Effect.flatMap(Deliveries, ({ prune }) => sweepHourlyInBatches("Old deliveries", prune()))

export const AlertDispatcher = Layer.scopedDiscard(
  Effect.all([fanOutEvents, attemptDeliveries, pruneDeliveries], { discard: true })
)
