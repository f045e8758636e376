/** Plans, the workspace's subscription, and checkout. */
import { Schema } from "effect"
import { described, orNull, textLike, Timestamp } from "../Fields.ts"
import { Usage } from "../workspace/Usage.ts"
import { Limits, Plan } from "../workspace/Workspace.ts"

/** The plans for sale, cheapest first. */
export const PaidPlan = Schema.Literal("starter", "business")
export type PaidPlan = typeof PaidPlan.Type

export const PlanOffer = Schema.Struct({
  id: Plan.annotations({ description: "The plan" }),
  name: textLike("Starter", "Its name, for people"),
  limits: Limits,
  purchasable: Schema.Boolean.annotations({ description: "Whether POST /billing/checkout can sell this plan in this deployment" })
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

/** A subscription as last reported by the payment provider. */
export const Subscription = Schema.Struct({
  plan: orNull(PaidPlan, "Plan that the subscription pays for; null if its price belongs to no plan"),
  status: SubscriptionStatus.annotations({
    description: "While past_due, the workspace keeps its plan and the payment is retried"
  }),
  renewsAt: orNull(Timestamp, "End of the paid period"),
  cancels: Schema.Boolean.annotations({ description: "Whether the subscription ends at renewsAt instead of renewing" })
}).annotations({ identifier: "Subscription" })
export type Subscription = typeof Subscription.Type

export const Billing = Schema.Struct({
  plan: Plan,
  name: textLike("Starter", "Name of the plan, for people"),
  limits: Limits,
  usage: described(Usage, "How much of each limit is in use"),
  subscription: orNull(Subscription, "The subscription; null if there is none"),
  configured: Schema.Boolean.annotations({ description: "Whether this deployment sells plans" })
}).annotations({ identifier: "Billing" })
export type Billing = typeof Billing.Type

export const CheckoutInput = Schema.Struct({ plan: PaidPlan.annotations({ examples: ["starter"] }) }).annotations({
  identifier: "CheckoutInput"
})
export type CheckoutInput = typeof CheckoutInput.Type

export const Checkout = Schema.Struct({
  url: textLike(
    "https://checkout.stripe.com/c/pay/cs_<id>",
    "Give this URL to a human. If the workspace has a subscription, the page changes or cancels it"
  )
}).annotations({ identifier: "Checkout" })
export type Checkout = typeof Checkout.Type
