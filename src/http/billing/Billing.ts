/** Serves plans and billing, and receives the payment provider's webhooks at POST /billing/stripe, outside the registry. */
import { HttpApiBuilder, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, type Layer } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { ManageBilling } from "../../operations/billing/ManageBilling.ts"
import { TakeBillingNotice } from "../../operations/billing/TakeBillingNotice.ts"
import { readText } from "../request/RequestBody.ts"
import { all, asCaller, inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

export const BillingLive = operationGroup(Api, "Billing", (handlers) =>
  Effect.map(ManageBilling, (billing) =>
    handlers
      .handle("list_plans", () => all(Effect.succeed(billing.plans)))
      .handle("get_billing", () => inWorkspace(billing.get))
      .handle(
        "create_checkout",
        ({ payload }) => Effect.map(asCaller((caller) => billing.checkout(caller, payload)), (url) => ({ url }))
      )))

const receive = (notices: TakeBillingNotice) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    // The signature covers the exact text. Decoding replaces bytes that are not UTF-8, which fails the signature.
    yield* notices.take(yield* readText(request), request.headers["stripe-signature"] ?? "")
    return HttpServerResponse.unsafeJson({ received: true })
  })

export const layer: Layer.Layer<never, never, TakeBillingNotice> = HttpApiBuilder.Router.use((router) =>
  Effect.flatMap(TakeBillingNotice, (notices) => router.post("/billing/stripe", receive(notices)))
)
