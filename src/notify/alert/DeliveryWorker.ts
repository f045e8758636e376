/** Attempts due deliveries. A limit per channel keeps a slow receiver from delaying other channels. */
import { DateTime, Effect, Schedule } from "effect"
import { Verdict } from "../../domain/alert/DeliveryVerdict.ts"
import { Deliveries, type HeldDelivery } from "../../store/alert/Deliveries.ts"
import type { Vault } from "../../store/Vault.ts"
import { makeLeasedWork } from "../LeasedWork.ts"
import { attempt } from "./Attempt.ts"
import type { ChannelServices } from "./ChannelKind.ts"

/** Attempts in flight, in total and per channel. */
const limits = { inFlight: 50, perChannel: 5 }

/** Writing a result is retried for as long as the lease certainly lasts. */
const untilLeaseEnds = { schedule: Schedule.spaced("1 second"), times: 15 }

export interface WorkerOptions {
  /** Runs after each attempt, when a slot is free again. */
  readonly onRoom: Effect.Effect<void>
  /** The limit of one attempt, in milliseconds. */
  readonly timeoutMs: number
}

/** Attempts end with the scope; deliveries in flight are then due again immediately. */
export const makeDeliveryWorker = Effect.fn("DeliveryWorker.make")(function*({ onRoom, timeoutMs }: WorkerOptions) {
  const deliveries = yield* Deliveries
  const services = yield* Effect.context<ChannelServices | Vault>()

  const deliver = Effect.fn("DeliveryWorker.deliver")(function*(delivery: HeldDelivery) {
    const verdict = delivery.enabled
      ? yield* attempt(delivery, timeoutMs)
      : Verdict.Dead({ statusCode: null, error: "The channel is disabled" })
    const now = yield* DateTime.now
    yield* deliveries.settle(delivery, verdict, now).pipe(Effect.sandbox, Effect.retry(untilLeaseEnds))
  }, (work, delivery) =>
    // After the lease expires, the delivery is attempted again.
    Effect.catchAllCause(work, (cause) =>
      Effect.logDebug(`Result of delivery ${delivery.id} not written; its lease will expire`, cause)))

  return yield* makeLeasedWork<HeldDelivery>({
    name: "DeliveryWorker",
    maxInFlight: limits.inFlight,
    recall: deliveries.recall,
    claim: (now, limit, holding) => deliveries.claim({ now, limit, perChannel: limits.perChannel, holding }),
    nextDueAt: deliveries.nextDueAt,
    release: deliveries.release,
    attempt: (delivery) => Effect.provide(deliver(delivery), services),
    onRoom
  })
})
