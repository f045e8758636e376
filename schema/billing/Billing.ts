/** What a workspace pays for: the plans, its subscription, and the way to another plan. */
import { Schema } from "effect"
import { textLike, Timestamp } from "../Fields.ts"
import { Usage } from "../workspace/Usage.ts"
import { Limits, Plan } from "../workspace/Workspace.ts"

/** The plans that can be bought, the cheapest first. */
export const PaidPlan = Schema.Literal("starter", "business")
export type PaidPlan = typeof PaidPlan.Type

export const PlanOffer = Schema.Struct({
  id: Plan,
  name: textLike("Starter"),
  limits: Limits,
  purchasable: Schema.Boolean.annotations({ description: "Whether POST /billing/checkout leads to it here" })
}).annotations({ identifier: "PlanOffer" })
export type PlanOffer = typeof PlanOffer.Type

export const SubscriptionStatus = Schema.Literal(
  "active",
  "trialing",
  "past_due",
  "unpaid",
  "paused",
  "incomplete",
  "incomplete_expired",
  "canceled"
)
export type SubscriptionStatus = typeof SubscriptionStatus.Type

/** A subscription as the payment provider last told of it. */
export const Subscription = Schema.Struct({
  plan: Schema.NullOr(PaidPlan).annotations({ description: "What is paid for; null for a price that is none of the plans'" }),
  status: SubscriptionStatus.annotations({ description: "past_due keeps the plan while payment is tried again" }),
  renewsAt: Schema.NullOr(Timestamp).annotations({ description: "When the paid period ends" }),
  cancels: Schema.Boolean.annotations({ description: "Whether it ends then instead of renewing" })
}).annotations({ identifier: "Subscription" })
export type Subscription = typeof Subscription.Type

export const Billing = Schema.Struct({
  plan: Plan,
  name: textLike("Starter"),
  limits: Limits,
  usage: Usage,
  subscription: Schema.NullOr(Subscription),
  configured: Schema.Boolean.annotations({ description: "Whether plans can be bought in this deployment" })
}).annotations({ identifier: "Billing" })
export type Billing = typeof Billing.Type

export const CheckoutInput = Schema.Struct({ plan: PaidPlan.annotations({ examples: ["starter"] }) }).annotations({
  identifier: "CheckoutInput"
})
export type CheckoutInput = typeof CheckoutInput.Type

export const Checkout = Schema.Struct({
  url: textLike("https://checkout.stripe.com/c/pay/cs_<id>").annotations({
    description: "Hand it to a human. With a subscription already, it leads to where that is changed or cancelled"
  })
}).annotations({ identifier: "Checkout" })
export type Checkout = typeof Checkout.Type
