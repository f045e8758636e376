/** Ends the subscriptions of deleted workspaces at the payment provider. */
import { Effect } from "effect"
import { Billing } from "../../src/external/billing/Billing.ts"
import { Subscriptions } from "../../src/store/billing/Subscriptions.ts"
import { singletonEvery } from "../SingletonEvery.ts"

export const BillingUpkeep = singletonEvery(
  "BillingUpkeep",
  "1 minute",
  Effect.gen(function*() {
    const provider = yield* Billing
    if (provider === null) return Effect.void
    const subscriptions = yield* Subscriptions

    /** A subscription that cannot be ended now does not block the others; the next run tries it again. */
    const endAll = Effect.flatMap(
      subscriptions.ends,
      (ids) =>
        Effect.forEach(ids, (id) => Effect.ignore(Effect.zipRight(provider.end(id), subscriptions.ended(id))), {
          discard: true
        })
    )
    return Effect.zipRight(endAll, subscriptions.prune)
  })
)
