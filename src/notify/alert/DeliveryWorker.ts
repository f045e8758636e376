/** Attempts what is due: many deliveries at a time, few of any one channel, so that a slow receiver holds up nobody else. */
import { DateTime, Effect, Schedule } from "effect"
import { Verdict } from "../../domain/alert/DeliveryVerdict.ts"
import { Deliveries, type HeldDelivery } from "../../store/alert/Deliveries.ts"
import type { Vault } from "../../store/Vault.ts"
import { makeLeasedWork } from "../LeasedWork.ts"
import { attempt } from "./Attempt.ts"
import type { ChannelServices } from "./ChannelKind.ts"

/** Attempts in flight, together and for one channel. */
const most = { inFlight: 50, perChannel: 5 }

/** A verdict that cannot be written is tried for as long as the delivery is surely still held. */
const untilLeaseEnds = { schedule: Schedule.spaced("1 second"), times: 15 }

export interface WorkerOptions {
  /** Run whenever an attempt has ended: there is room for another. */
  readonly onRoom: Effect.Effect<void>
  /** The limit of one attempt, in milliseconds. */
  readonly timeoutMs: number
}

/** Attempts end with the scope; what was in flight then is due again at once. */
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
    // The lease sees to what was not written back.
    Effect.catchAllCause(work, (cause) => Effect.logDebug(`Delivery ${delivery.id} was not written back`, cause)))

  return yield* makeLeasedWork<HeldDelivery>({
    name: "DeliveryWorker",
    most: most.inFlight,
    recall: deliveries.recall,
    claim: (now, limit, holding) => deliveries.claim({ now, limit, perChannel: most.perChannel, holding }),
    nextDueAt: deliveries.nextDueAt,
    release: deliveries.release,
    attempt: (delivery) => Effect.provide(deliver(delivery), services),
    onRoom
  })
})
