/** Ends subscriptions that nobody needs any more, on one runner at a time. */
import { Singleton } from "@effect/cluster"
import { Effect, Schedule } from "effect"
import { Billing } from "../../src/external/billing/Billing.ts"
import { persevere } from "../../src/loops/Persevere.ts"
import { unending } from "../../src/loops/Unending.ts"
import { Subscriptions } from "../../src/store/billing/Subscriptions.ts"

export const BillingUpkeep = Singleton.make(
  "BillingUpkeep",
  Effect.gen(function*() {
    const provider = yield* Billing
    if (provider === null) return
    const subscriptions = yield* Subscriptions

    /** One that cannot be ended now holds up no other; it is tried again with the next round. */
    const endAll = Effect.flatMap(
      subscriptions.ends,
      (ids) =>
        Effect.forEach(ids, (id) => Effect.ignore(Effect.zipRight(provider.end(id), subscriptions.ended(id))), {
          discard: true
        })
    )

    const upkeep = persevere("Ending subscriptions", Effect.zipRight(endAll, subscriptions.prune)).pipe(
      Effect.repeat(Schedule.spaced("1 minute"))
    )
    return yield* unending("Ending subscriptions", upkeep)
  })
)
