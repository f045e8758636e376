/** Turns events into deliveries to alert channels, attempts them, and deletes old ones. */
import { Duration, Effect, Layer, Option, Queue } from "effect"
import { Counter } from "prom-client"
import { longestFallback } from "../../src/domain/tools/time/FallbackPause.ts"
import { urgently } from "../../src/loops/WorkPriority.ts"
import { attemptTimeoutMs } from "../../src/notify/alert/Attempt.ts"
import { DeliverySettings } from "../../src/notify/alert/DeliverySettings.ts"
import { makeDeliveryWorker } from "../../src/notify/alert/DeliveryWorker.ts"
import { wakeableLoop } from "../../src/services/WakeableLoop.ts"
import { AlertedChannels } from "../../src/store/alert/AlertedChannels.ts"
import { Deliveries } from "../../src/store/alert/Deliveries.ts"
import { deliveriesSignal } from "../../src/store/alert/DeliveryQueues.ts"
import { fanOutApartSignal } from "../../src/store/alert/FanOutApart.ts"
import { eventsSignal } from "../../src/store/event/EventLog.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { sweepHourlyInBatches } from "../../src/store/Sweep.ts"
import { DueWork } from "../DueWork.ts"
import { makeHeldShards } from "../HeldShards.ts"
import { type EventSetAside, FanOutTransactions } from "./FanOutTransactions.ts"
import { sendWaitingAlerts } from "./WaitingAlerts.ts"

const fanOutBatch = 400

/**
 * Events that come this soon after others are fanned out together, which takes as many statements as one. A single event waits
 * for nothing.
 */
const fanOutPace = "30 millis"

/** How many workspaces whose events go apart a runner fans out at a time, so that a slow one does not delay the others. */
const apartAtOnce = 2

/** The pause while all workspaces whose turn it is are held by others. */
const heldPause = Duration.millis(500)

const eventsSetAside = new Counter({
  name: "belltower_events_set_aside_total",
  help: "Events that could not become deliveries, and are named in events_set_aside"
})

const reportSetAside = ({ eventId, reason, workspaceId }: EventSetAside) =>
  Effect.zipRight(
    Effect.sync(() => eventsSetAside.inc()),
    Effect.logError(
      `Turning event ${eventId} of workspace ${workspaceId} into deliveries keeps failing; it was set aside, and nobody is alerted ` +
        `about it (docs/runbooks/events-set-aside.md): ${reason}`
    )
  )

const fanOutEvents = Effect.gen(function*() {
  const fanOut = yield* FanOutTransactions
  const due = yield* DueWork
  const signal = yield* due.signal("events", eventsSignal)
  const step = fanOut.step(fanOutBatch).pipe(
    Effect.tap(({ more }) => more ? Effect.void : Effect.sleep(fanOutPace)),
    Effect.map(({ more }) => (more ? Duration.zero : longestFallback))
  )
  yield* wakeableLoop("Turning events into deliveries", step, signal)
  const stepApart = fanOut.stepApart(fanOutBatch).pipe(
    Effect.tap(({ setAside }) => setAside === null ? Effect.void : reportSetAside(setAside)),
    Effect.flatMap(({ found }) =>
      found ? Effect.succeed(Duration.zero) : Effect.map(
        fanOut.untilApart,
        Option.match({
          onNone: () => longestFallback,
          onSome: (left) => Duration.clamp(left, { minimum: heldPause, maximum: longestFallback })
        })
      )
    )
  )
  yield* Effect.replicateEffect(
    Effect.flatMap(
      due.signal("eventsApart", fanOutApartSignal),
      (woken) => wakeableLoop("Turning events of single workspaces into deliveries", stepApart, woken)
    ),
    apartAtOnce,
    { discard: true }
  )
})

const attemptDeliveries = Effect.gen(function*() {
  const signal = yield* (yield* DueWork).signal("deliveries", deliveriesSignal)
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
  Effect.zipRight(urgently(Effect.all([sendWaitingAlerts, fanOutEvents, attemptDeliveries])), pruneDeliveries)
).pipe(Layer.provide([FanOutTransactions.Default, DueWork.Default]))
