/** Serves plans and billing. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { ReadBilling } from "../../operations/billing/ReadBilling.ts"
import { StartCheckout } from "../../operations/billing/StartCheckout.ts"
import { all, asCaller, inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

export const BillingLive = operationGroup(Api, "Billing", (handlers) =>
  Effect.gen(function*() {
    const billing = yield* ReadBilling
    const checkout = yield* StartCheckout
    return handlers
      .handle("list_plans", () => all(Effect.succeed(billing.plans)))
      .handle("get_billing", () => inWorkspace(billing.get))
      .handle("create_checkout", ({ payload }) =>
        Effect.map(asCaller((caller) => checkout.start(caller, payload)), (url) => ({ url })))
  }))
