/** Attempts what is due: many deliveries at a time, few of any one channel, so that a slow receiver holds up nobody else. */
import { DateTime, Duration, Effect, FiberSet, Option, Schedule } from "effect"
import type { DeliveryId } from "../../schema/Ids.ts"
import { Verdict } from "../domain/DeliveryVerdict.ts"
import type { EgressGuard } from "../egress/EgressGuard.ts"
import { Deliveries, type HeldDelivery } from "../store/Deliveries.ts"
import type { Vault } from "../store/Vault.ts"
import { attempt } from "./Attempt.ts"

/** Attempts in flight, together and for one channel. */
const most = { inFlight: 50, perChannel: 5 }

/** However far ahead the next delivery seems to be due, another process may have added one. */
const longestPause = Duration.seconds(5)

/** A verdict that cannot be written is tried for as long as the delivery is surely still held. */
const untilLeaseEnds = { schedule: Schedule.spaced("1 second"), times: 15 }

export interface WorkerOptions {
  /** Run whenever an attempt has ended: there is room for another. */
  readonly onRoom: Effect.Effect<void>
  /** The limit of one attempt, in milliseconds. */
  readonly timeoutMs: number
}

/** For giving back what was in flight, when the database does not answer: the lease does it later. */
const releaseLimit = Duration.seconds(1)

/** Attempts end with the scope; what was in flight then is due again at once. */
export const makeDeliveryWorker = Effect.fn("DeliveryWorker.make")(function*({ onRoom, timeoutMs }: WorkerOptions) {
  const deliveries = yield* Deliveries
  const services = yield* Effect.context<EgressGuard | Vault>()
  const held = new Map<DeliveryId, HeldDelivery>()
  yield* Effect.addFinalizer(() =>
    deliveries.release([...held.values()]).pipe(
      Effect.sandbox,
      Effect.ignore,
      Effect.disconnect,
      Effect.timeoutOption(releaseLimit),
      Effect.when(() => held.size > 0)
    )
  )
  const attempts = yield* FiberSet.make()

  const deliver = Effect.fn("DeliveryWorker.deliver")(function*(delivery: HeldDelivery) {
    const verdict = delivery.enabled
      ? yield* attempt(delivery, timeoutMs)
      : Verdict.Dead({ statusCode: null, error: "The channel is disabled" })
    const now = yield* DateTime.now
    yield* deliveries.settle(delivery, verdict, now).pipe(Effect.sandbox, Effect.retry(untilLeaseEnds))
  }, (work, delivery) =>
    work.pipe(
      // The lease sees to what was not written back.
      Effect.catchAllCause((cause) => Effect.logDebug(`Delivery ${delivery.id} was not written back`, cause)),
      // Not when interrupted: what is still held then is given back.
      Effect.zipRight(Effect.sync(() => held.delete(delivery.id))),
      Effect.zipRight(onRoom)
    ))

  /** Takes what is due as far as there is room, begins its attempts, and returns how long to wait before the next step. */
  const step = Effect.gen(function*() {
    const limit = most.inFlight - held.size
    if (limit <= 0) return longestPause
    const now = yield* DateTime.now
    yield* deliveries.recall(now)
    const taken = yield* deliveries.claim({ now, limit, perChannel: most.perChannel, holding: [...held.keys()] })
    for (const delivery of taken) {
      held.set(delivery.id, delivery)
      yield* FiberSet.run(attempts, deliver(delivery))
    }
    // What is due now and was not taken waits for room, not for time.
    const next = yield* deliveries.nextDueAt(now)
    return Option.match(next, {
      onNone: () => longestPause,
      onSome: (at) => Duration.min(longestPause, Duration.millis(DateTime.distance(now, at)))
    })
  }).pipe(Effect.provide(services), Effect.withSpan("DeliveryWorker.step"))

  return { step }
})
