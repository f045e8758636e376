/** Tells the channels: turns events into deliveries, attempts them, and clears away old ones, for as long as it is up. */
import { Duration, Effect, Layer, Queue } from "effect"
import { attemptTimeoutMs } from "../../src/notify/alert/Attempt.ts"
import { makeDeliveryWorker } from "../../src/notify/alert/DeliveryWorker.ts"
import { Deliveries, deliveriesChannel } from "../../src/store/alert/Deliveries.ts"
import { FanOut } from "../../src/store/alert/FanOut.ts"
import { eventsChannel } from "../../src/store/event/EventLog.ts"
import { sweepHourlyInBatches } from "../../src/store/Sweep.ts"
import { bellFor, keepDoing } from "../WakeableLoop.ts"

/** Events told in one transaction. */
const fanOutBatch = 100

/** Finds what no wake-up told of. */
const longestPause = Duration.seconds(5)

const tellChannels = Effect.gen(function*() {
  const fanOut = yield* FanOut
  const bell = yield* bellFor(eventsChannel)
  const step = fanOut.step(fanOutBatch).pipe(Effect.map((count) => (count === fanOutBatch ? Duration.zero : longestPause)))
  yield* keepDoing("Turning events into deliveries", step, bell)
})

const attemptDeliveries = Effect.gen(function*() {
  const bell = yield* bellFor(deliveriesChannel)
  const worker = yield* makeDeliveryWorker({ onRoom: Queue.offer(bell, undefined), timeoutMs: attemptTimeoutMs })
  yield* keepDoing("Attempting deliveries", worker.step, bell)
})

const clearAway = Effect.flatMap(Deliveries, ({ prune }) => sweepHourlyInBatches("Old deliveries", prune()))

export const Notifier = Layer.scopedDiscard(Effect.all([tellChannels, attemptDeliveries, clearAway], { discard: true }))
