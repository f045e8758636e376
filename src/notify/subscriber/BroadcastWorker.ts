/** Notifies subscribers: claims deliveries while there are slots, attempts each, and writes the results in batches. */
import { DateTime, Duration, Effect, Option } from "effect"
import { internalError, isUnanswered, judge } from "../../domain/alert/DeliveryVerdict.ts"
import { longestFallback } from "../../domain/tools/time/FallbackPause.ts"
import { DatabaseClock, makeSetBackWatch } from "../../store/postgres/DatabaseClock.ts"
import type { HeldBroadcast } from "../../store/subscriber/BroadcastClaim.ts"
import type { BroadcastOutcome, Settled } from "../../store/subscriber/BroadcastResults.ts"
import { broadcastLease, Broadcasts } from "../../store/subscriber/Broadcasts.ts"
import { makeDeliveryEngine, type WorkerOptions } from "../delivery/DeliveryEngine.ts"
import { makeKnownDeliveries } from "../delivery/KnownDeliveries.ts"
import { makeResultWriter } from "../delivery/ResultWriter.ts"
import { makeComposeBroadcast } from "./ComposeBroadcast.ts"
import { makeSubscriberAttempts } from "./SubscriberAttempt.ts"
import { endInBatch, makeTraceBroadcasts, type TracedBroadcast } from "./TraceBroadcast.ts"

/** The pause while something is ready that cannot be taken. */
const shortPause = Duration.millis(50)
/** Attempts take some 0.2 ms each to start: alerts run in the turns between. */
const starts = { perTurn: 32, perEnd: 4 }
const composedAtOnce = 5
/** The pause of a worker without shards, which claims nothing. */
const noSharePause = Duration.seconds(1)

/** All mails go to one server; a mail is slow only if that is. */
const hostOf = ({ subscriber: { host, type } }: HeldBroadcast): string => host ?? type

/** How long to wait for the broadcast that is ready next, if nothing could be taken at `at`. */
const pauseUntil = (next: Option.Option<DateTime.Utc>, at: DateTime.Utc): Duration.Duration => {
  if (Option.isNone(next)) return longestFallback
  // Broadcasts that are ready and were not taken belong to a workspace with its share, or to another runner.
  return Duration.clamp(Duration.millis(DateTime.distance(at, next.value)), {
    minimum: shortPause,
    maximum: longestFallback
  })
}

/** Attempts end with the scope; deliveries in flight are then due again immediately. */
export const makeBroadcastWorker = Effect.fn("BroadcastWorker.make")(function*(options: WorkerOptions) {
  const broadcasts = yield* Broadcasts
  const compose = yield* makeComposeBroadcast
  const database = yield* DatabaseClock
  const estimate = (): DateTime.Utc => DateTime.unsafeMake(database.estimate())
  const known = makeKnownDeliveries<HeldBroadcast>(({ eventId, pageId, subscriber }) => `${eventId} ${pageId} ${subscriber.id}`)
  const results = yield* makeResultWriter<Settled>({
    of: "deliveries to subscribers",
    workspaceOf: ({ delivery }) => delivery.workspaceId,
    write: (batch, patienceMs) => Effect.suspend(() => broadcasts.settle(batch, estimate(), patienceMs)),
    ended: (batch) => batch.forEach(({ delivery, outcome }) => outcome._tag === "Postponed" || known.forget(delivery))
  })
  const settle = (delivery: TracedBroadcast, outcome: BroadcastOutcome): void => {
    results.add({ delivery, outcome })
    endInBatch(delivery, outcome)
  }
  const traced = yield* makeTraceBroadcasts
  const { admit, awaitRoom, hasRoom, slots, steady } = yield* makeDeliveryEngine({
    ...options,
    of: "deliveries to subscribers",
    leaseMs: Duration.toMillis(broadcastLease),
    starts,
    hostOf,
    known,
    renew: (deliveries) => Effect.flatMap(database.now, (now) => broadcasts.renew(deliveries, now)),
    shortestWaitMs: 0,
    attempts: makeSubscriberAttempts(estimate, options.timeoutMs),
    isUnanswered,
    broken: ({ attempts }) => judge(internalError, attempts + 1, estimate()),
    ended: settle,
    postponed: (delivery, at) => settle(delivery, { _tag: "Postponed", at }),
    flush: Effect.zipRight(results.flush, broadcasts.notify)
  })
  const wasSetBack = makeSetBackWatch()

  /** Claims ready broadcasts, as far as there are slots, and returns how long to wait until the next step. */
  const step = Effect.gen(function*() {
    if (options.share() === 0) return noSharePause
    const composed = yield* broadcasts.prepare(composedAtOnce, compose)
    if (!hasRoom()) {
      awaitRoom()
      return longestFallback
    }
    const at = yield* database.now
    if (wasSetBack(at)) yield* broadcasts.recall(at)
    const claimedAt = steady()
    const except = slots.saturated("fast")
    const { deliveries, visited } = yield* broadcasts.claim({ now: at, room: slots.room("fast"), except })
    admit(traced(deliveries), "fast", claimedAt)
    if (visited > 0 || composed > 0) return Duration.zero
    return pauseUntil(yield* broadcasts.nextReadyAt, at)
  }).pipe(Effect.withSpan("BroadcastWorker.step"))

  return { step }
})
