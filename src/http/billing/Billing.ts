/** Serves plans and billing. */
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { ReadBilling } from "../../operations/billing/ReadBilling.ts"
import { StartCheckout } from "../../operations/billing/StartCheckout.ts"
import { operationGroup } from "../server/OperationGroup.ts"

export const BillingLive = operationGroup(Api, "Billing", (handlers) =>
  Effect.gen(function*() {
    const billing = yield* ReadBilling
    const checkout = yield* StartCheckout
    return handlers
      .handle("list_plans", () => Effect.succeed({ data: billing.plans, next: null }))
      .handle("get_billing", () => Effect.flatMap(Access, ({ workspaceId }) => billing.get(workspaceId)))
      .handle("create_checkout", ({ payload }) =>
        Effect.flatMap(Access, (caller) => Effect.map(checkout.start(caller, payload), (url) => ({ url }))))
  }))
