/** Returns the payment provider's URL where a buyer subscribes or changes a subscription. */
import { Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import type { CheckoutInput } from "../../../schema/billing/Billing.ts"
import { Forbidden } from "../../../schema/Errors.ts"
import { isOver } from "../../domain/billing/SubscriptionChoice.ts"
import { claimHint } from "../../domain/workspace/UnclaimedWorkspace.ts"
import { Billing } from "../../external/billing/Billing.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { linksFrom } from "../../links/Links.ts"
import { Subscriptions } from "../../store/billing/Subscriptions.ts"
import { Members } from "../../store/workspace/Members.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"
import { requireWorkspace } from "../workspace/RequireWorkspace.ts"
import { billingNotConfigured } from "./BillingNotConfigured.ts"

const unclaimed = new Forbidden({
  message: "Only a claimed workspace can buy a plan",
  hint: claimHint
})

export class StartCheckout extends Effect.Service<StartCheckout>()("belltower/StartCheckout", {
  effect: Effect.gen(function*() {
    const provider = yield* Billing
    const subscriptions = yield* Subscriptions
    const members = yield* Members
    const required = requireWorkspace(yield* Workspaces)
    const returnTo = linksFrom(yield* BaseUrl).app("")

    /** The buyer's email address; null if a key calls. */
    const buyerEmail = Effect.fn("StartCheckout.buyerEmail")(function*({ principal, workspaceId }: Caller) {
      if (principal._tag === "Key") return null
      const found = yield* members.findUser(workspaceId, principal.userId)
      return Option.match(found, { onNone: () => null, onSome: ({ email }) => email })
    })

    /** The URL for the buyer. A workspace with a subscription gets the customer portal, to prevent a second subscription. */
    const start = Effect.fn("StartCheckout.start")(function*(caller: Caller, { plan }: CheckoutInput) {
      const { workspaceId } = caller
      if (provider === null) return yield* billingNotConfigured
      const { claimed } = yield* required(workspaceId)
      if (!claimed) return yield* unclaimed
      const held = Option.getOrNull(yield* subscriptions.of(workspaceId))
      const customerId = held?.customerId ?? null
      const subscription = held?.subscription ?? null
      return subscription !== null && !isOver(subscription) && customerId !== null
        ? yield* provider.portal(customerId, returnTo)
        : yield* provider.checkout({ workspaceId, plan, customerId, email: yield* buyerEmail(caller), returnTo })
    })

    return { start }
  })
}) {}
