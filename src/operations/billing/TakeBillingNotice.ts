/** Processes the payment provider's notices. Each one re-reads the subscription, so their order of arrival does not matter. */
import { Effect, Option } from "effect"
import { Unavailable } from "../../../schema/Errors.ts"
import { Billing, type Notice, type PaymentProvider } from "../../external/billing/Billing.ts"
import { Subscriptions } from "../../store/billing/Subscriptions.ts"
import { billingNotConfigured } from "./ManageBilling.ts"

/** An attempt is lost when a concurrent notice reads the subscription later but stores it first. */
const maxAttempts = 10

const tooManyConcurrent = new Unavailable({
  message: "Too many concurrent notices for this workspace",
  hint: "Send the notice again"
})

export class TakeBillingNotice extends Effect.Service<TakeBillingNotice>()("belltower/TakeBillingNotice", {
  effect: Effect.gen(function*() {
    const billing = yield* Billing
    const subscriptions = yield* Subscriptions

    const store = Effect.fn("TakeBillingNotice.store")(function*(provider: PaymentProvider, notice: Notice) {
      const { id, subscriptionId } = notice
      if (subscriptionId === null || (yield* subscriptions.isKnown(id))) return
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const reading = yield* subscriptions.nextReading
        const found = yield* provider.subscription(subscriptionId)
        if (Option.isNone(found)) return yield* Effect.logWarning(`Notice ${id} refers to unknown subscription ${subscriptionId}`)
        const { customerId, workspaceId, ...subscription } = found.value
        if (subscription.plan === null && workspaceId !== null) {
          yield* Effect.logError(
            `Subscription ${subscriptionId} has a price that belongs to no plan, so a paying workspace keeps the plan that it has. ` +
              "Add the price to STRIPE_PRICE_STARTER or STRIPE_PRICE_BUSINESS."
          )
        }
        if (yield* subscriptions.take({ noticeId: id, reading, workspaceId, customerId, subscription })) return
      }
      return yield* tooManyConcurrent
    })

    /** `text` is the exact signed text. The provider retries until this succeeds. Fails with `bad_request` for a false one. */
    const take = Effect.fn("TakeBillingNotice.take")(function*(text: string, signature: string) {
      if (billing === null) return yield* billingNotConfigured
      yield* store(billing, yield* billing.notice(text, signature))
    })

    return { take }
  })
}) {}
