/** Takes notices of the payment provider: the subscription as it is now decides, whatever order its notices arrive in. */
import { Effect, Option } from "effect"
import { Unavailable } from "../../../schema/Errors.ts"
import { Billing, type Notice, type PaymentProvider } from "../../external/billing/Billing.ts"
import { Subscriptions } from "../../store/billing/Subscriptions.ts"
import { billingNotConfigured } from "./BillingNotConfigured.ts"

/** Each lost attempt is a notice that was read later and stored first. */
const attempts = 10

const crowded = new Unavailable({ message: "Too many notices of one workspace at once", hint: "Send it again" })

export class TakeBillingNotice extends Effect.Service<TakeBillingNotice>()("belltower/TakeBillingNotice", {
  effect: Effect.gen(function*() {
    const billing = yield* Billing
    const subscriptions = yield* Subscriptions

    const store = Effect.fn("TakeBillingNotice.store")(function*(provider: PaymentProvider, notice: Notice) {
      const { id, subscriptionId } = notice
      if (subscriptionId === null || (yield* subscriptions.isKnown(id))) return
      for (let attempt = 0; attempt < attempts; attempt++) {
        const reading = yield* subscriptions.nextReading
        const found = yield* provider.subscription(subscriptionId)
        if (Option.isNone(found)) return yield* Effect.logWarning(`Notice ${id} is about ${subscriptionId}, which is unknown`)
        const { customerId, workspaceId, ...subscription } = found.value
        if (subscription.plan === null && workspaceId !== null) {
          yield* Effect.logError(`Subscription ${subscriptionId} is for a price that is none of the plans'`)
        }
        if (yield* subscriptions.take({ noticeId: id, reading, workspaceId, customerId, subscription })) return
      }
      return yield* crowded
    })

    /**
     * Takes a notice in the very text that was signed. It succeeds once the subscription is in the database; until then the
     * provider repeats the notice. Fails with `bad_request` for one that the provider has not signed.
     */
    const take = Effect.fn("TakeBillingNotice.take")(function*(text: string, signature: string) {
      if (billing === null) return yield* billingNotConfigured
      yield* store(billing, yield* billing.notice(text, signature))
    })

    return { take }
  })
}) {}
