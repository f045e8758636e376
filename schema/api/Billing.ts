/** Plans, and what the workspace pays for. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Billing as BillingRecord, Checkout, CheckoutInput, PlanOffer } from "../billing/Billing.ts"
import { wire } from "../Errors.ts"
import { LeastRole, ReadAccess, WriteAccess } from "./Access.ts"

export class Billing extends HttpApiGroup.make("Billing")
  .annotate(OpenApi.Description, "The plans, what the workspace has and uses, and the way to another.")
  .add(
    HttpApiEndpoint.get("list_plans", "/billing/plans")
      .addSuccess(Schema.Struct({ data: Schema.Array(PlanOffer), next: Schema.Null }))
      .annotate(OpenApi.Summary, "List the plans and what each allows")
      .annotate(OpenApi.Description, "null is unlimited. Where nothing can be bought, every workspace is self_hosted.")
  )
  .add(
    HttpApiEndpoint.get("get_billing", "/billing")
      .addSuccess(BillingRecord)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Tell the workspace's plan, its usage and its subscription")
      .annotate(
        OpenApi.Description,
        "When a plan shrinks, what exists beyond its limits is kept and goes on; only more of it is refused."
      )
  )
  .add(
    HttpApiEndpoint.post("create_checkout", "/billing/checkout")
      .setPayload(CheckoutInput)
      .addSuccess(Checkout)
      .addError(wire.validationFailed)
      .addError(wire.unavailable)
      .middleware(WriteAccess)
      .annotate(LeastRole, "admin")
      .annotate(OpenApi.Summary, "Get a URL where a human buys a plan")
      .annotate(
        OpenApi.Description,
        "Nothing is charged by this call. The plan switches once the payment is confirmed, mostly within seconds. A " +
          "workspace must be claimed first: whoever pays owns it. Where billing is not configured it answers 503."
      )
  )
{}
