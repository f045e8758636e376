/** Tells the channels: turns events into deliveries, attempts them, and clears away old ones, for as long as it is up. */
import { Duration, Effect, Layer, Queue } from "effect"
import { attemptTimeoutMs } from "../../src/notify/alert/Attempt.ts"
import { makeDeliveryWorker } from "../../src/notify/alert/DeliveryWorker.ts"
import { Deliveries, deliveriesSignal } from "../../src/store/alert/Deliveries.ts"
import { FanOut } from "../../src/store/alert/FanOut.ts"
import { eventsSignal } from "../../src/store/event/EventLog.ts"
import { sweepHourlyInBatches } from "../../src/store/Sweep.ts"
import { wakeableLoop, wakeSignal } from "../WakeableLoop.ts"

/** Events told in one transaction. */
const fanOutBatch = 100

/** Finds what no wake-up told of. */
const longestPause = Duration.seconds(5)

const tellChannels = Effect.gen(function*() {
  const fanOut = yield* FanOut
  const bell = yield* wakeSignal(eventsSignal)
  const step = fanOut.step(fanOutBatch).pipe(Effect.map((count) => (count === fanOutBatch ? Duration.zero : longestPause)))
  yield* wakeableLoop("Turning events into deliveries", step, bell)
})

const attemptDeliveries = Effect.gen(function*() {
  const bell = yield* wakeSignal(deliveriesSignal)
  const worker = yield* makeDeliveryWorker({ onRoom: Queue.offer(bell, undefined), timeoutMs: attemptTimeoutMs })
  yield* wakeableLoop("Attempting deliveries", worker.step, bell)
})

const clearAway = Effect.flatMap(Deliveries, ({ prune }) => sweepHourlyInBatches("Old deliveries", prune()))

export const AlertDispatcher = Layer.scopedDiscard(Effect.all([tellChannels, attemptDeliveries, clearAway], { discard: true }))
