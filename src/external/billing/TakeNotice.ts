/** Takes in what the payment provider says: the subscription as it is now decides, whatever order its notices come in. */
import { Effect, Option } from "effect"
import { Unavailable } from "../../../schema/Errors.ts"
import { Subscriptions } from "../../store/billing/Subscriptions.ts"
import type { Notice, PaymentProvider } from "./Billing.ts"

/** Others that read at the same time and came first; each of them is one notice. */
const tries = 10

const crowded = new Unavailable({ message: "Too many notices of one workspace at once", hint: "Send it again" })

/** A notice is answered once what it tells of is in the database; until then the provider repeats it. */
export const takeNotice = Effect.fn("Billing.takeNotice")(function*(provider: PaymentProvider, notice: Notice) {
  const subscriptions = yield* Subscriptions
  const { id, subscriptionId } = notice
  if (subscriptionId === null || (yield* subscriptions.isKnown(id))) return
  for (let attempt = 0; attempt < tries; attempt++) {
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
