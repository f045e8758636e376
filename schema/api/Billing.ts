/** Plans, subscriptions and checkout. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Billing as BillingRecord, Checkout, CheckoutInput, PlanOffer } from "../billing/Billing.ts"
import { wire } from "../Errors.ts"
import { LeastRole, ReadAccess, WriteAccess } from "./Access.ts"
import { all } from "./parts/Answers.ts"
import { ReachesOut } from "./parts/Hints.ts"

export class Billing extends HttpApiGroup.make("Billing")
  .annotate(OpenApi.Description, "Plans, and the workspace's plan, usage and subscription.")
  .add(
    HttpApiEndpoint.get("list_plans", "/billing/plans")
      .addSuccess(all(PlanOffer))
      .annotate(OpenApi.Summary, "List plans")
      .annotate(
        OpenApi.Description,
        "Includes the limits of each plan; null is unlimited. Where billing is not configured, every workspace has the plan " +
          "self_hosted."
      )
  )
  .add(
    HttpApiEndpoint.get("get_billing", "/billing")
      .addSuccess(BillingRecord)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Get the plan, usage and subscription")
      .annotate(
        OpenApi.Description,
        "After a downgrade, resources beyond the new limits keep working, but no more can be created."
      )
  )
  .add(
    HttpApiEndpoint.post("create_checkout", "/billing/checkout")
      .setPayload(CheckoutInput)
      .addSuccess(Checkout)
      .addError(Schema.Union(wire.validationFailed, wire.unavailable))
      .middleware(WriteAccess)
      .annotate(LeastRole, "admin")
      .annotate(ReachesOut, true)
      .annotate(OpenApi.Summary, "Create a checkout")
      .annotate(
        OpenApi.Description,
        "Returns a URL where a human buys a plan. The call itself charges nothing. The plan changes once the payment is " +
          "confirmed, usually within seconds. The workspace must be claimed first. Returns 503 where billing is not configured."
      )
  )
{}
