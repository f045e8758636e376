/** Notifies the alert channels: turns events into deliveries, attempts them and deletes old ones. */
import { Duration, Effect, Layer, Queue } from "effect"
import { attemptTimeoutMs } from "../../src/notify/alert/Attempt.ts"
import { makeDeliveryWorker } from "../../src/notify/alert/DeliveryWorker.ts"
import { planDeliveries } from "../../src/notify/alert/PlanDeliveries.ts"
import { Deliveries, deliveriesSignal } from "../../src/store/alert/Deliveries.ts"
import { FanOut } from "../../src/store/alert/FanOut.ts"
import { eventsSignal } from "../../src/store/event/EventLog.ts"
import { sweepHourlyInBatches } from "../../src/store/Sweep.ts"
import { wakeableLoop, wakeSignal } from "../WakeableLoop.ts"

/** Events turned into deliveries in one transaction. */
const fanOutBatch = 100

/** Polls, in case a wake-up was lost. */
const longestPause = Duration.seconds(5)

const makeDeliveries = Effect.gen(function*() {
  const { step } = yield* FanOut
  const bell = yield* wakeSignal(eventsSignal)
  const turn = step(fanOutBatch, planDeliveries).pipe(
    Effect.map((count) => (count === fanOutBatch ? Duration.zero : longestPause))
  )
  yield* wakeableLoop("Turning events into deliveries", turn, bell)
})

const attemptDeliveries = Effect.gen(function*() {
  const bell = yield* wakeSignal(deliveriesSignal)
  const worker = yield* makeDeliveryWorker({ onRoom: Queue.offer(bell, undefined), timeoutMs: attemptTimeoutMs })
  yield* wakeableLoop("Attempting deliveries", worker.step, bell)
})

const deleteOld = Effect.flatMap(Deliveries, ({ prune }) => sweepHourlyInBatches("Old deliveries", prune()))

export const AlertDispatcher = Layer.scopedDiscard(Effect.all([makeDeliveries, attemptDeliveries, deleteOld], { discard: true }))
