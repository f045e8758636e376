/** Turns events into deliveries to alert channels, attempts them, and deletes old ones. */
import { Duration, Effect, Layer, Queue } from "effect"
import { fallbackPause } from "../../src/domain/FallbackPause.ts"
import { Links } from "../../src/links/Links.ts"
import { urgently } from "../../src/loops/WorkLane.ts"
import { attemptTimeoutMs } from "../../src/notify/alert/Attempt.ts"
import { DeliverySettings } from "../../src/notify/alert/DeliverySettings.ts"
import { makeDeliveryWorker } from "../../src/notify/alert/DeliveryWorker.ts"
import { type AcknowledgeLink, planDeliveries } from "../../src/notify/alert/PlanDeliveries.ts"
import { AlertedChannels } from "../../src/store/alert/AlertedChannels.ts"
import { Deliveries } from "../../src/store/alert/Deliveries.ts"
import { deliveriesSignal } from "../../src/store/alert/DeliveryQueues.ts"
import { FanOut } from "../../src/store/alert/FanOut.ts"
import { eventsSignal } from "../../src/store/event/EventLog.ts"
import { AcknowledgeTokens } from "../../src/store/incident/AcknowledgeTokens.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { sweepHourlyInBatches } from "../../src/store/Sweep.ts"
import { makeHeldShards } from "../HeldShards.ts"
import { wakeableLoop, wakeSignal } from "../WakeableLoop.ts"
import { sendWaitingAlerts } from "./GroupedAlerts.ts"

/** Events fanned out in one transaction. */
const fanOutBatch = 100

/** Events that come this soon after others are fanned out together, which takes as many statements as one. A single event waits for nothing. */
const fanOutPace = "30 millis"

const makeLinkOf = Effect.gen(function*() {
  const links = yield* Links
  const tokens = yield* AcknowledgeTokens
  const linkOf: AcknowledgeLink = (incidentId, channelId, { at }) =>
    links.acknowledge(tokens.make({ incidentId, recipient: channelId }, at))
  return linkOf
})

const fanOutEvents = Effect.gen(function*() {
  const fanOut = yield* FanOut
  const signal = yield* wakeSignal(eventsSignal)
  const { part } = yield* makeHeldShards
  const linkOf = yield* makeLinkOf
  yield* sendWaitingAlerts(linkOf)
  const step = fanOut.step(fanOutBatch, planDeliveries(linkOf)).pipe(
    Effect.tap(({ more }) => more ? Effect.void : Effect.sleep(fanOutPace)),
    Effect.map(({ more }) => (more ? Duration.zero : fallbackPause(part())))
  )
  yield* wakeableLoop("Turning events into deliveries", step, signal)
})

const attemptDeliveries = Effect.gen(function*() {
  const signal = yield* wakeSignal(deliveriesSignal)
  const limits = yield* DeliverySettings
  const { part } = yield* makeHeldShards
  const wake = Queue.offer(signal, undefined)
  const worker = yield* makeDeliveryWorker({ limits, share: part, timeoutMs: attemptTimeoutMs, wake })
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
  Effect.zipRight(urgently(Effect.zipRight(fanOutEvents, attemptDeliveries)), pruneDeliveries)
)
