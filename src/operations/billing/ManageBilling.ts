/** Reads the available plans and the billing of a workspace, and sends buyers to the payment provider. */
import { DateTime, Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import type { Billing as BillingRecord, CheckoutInput, PlanOffer } from "../../../schema/billing/Billing.ts"
import { Forbidden, Unavailable } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { Plan } from "../../../schema/workspace/Workspace.ts"
import { paidPlans, planNames, plans } from "../../domain/billing/Plans.ts"
import { isOver } from "../../domain/billing/SubscriptionChoice.ts"
import { claimHint } from "../../domain/workspace/UnclaimedWorkspace.ts"
import { usageRecord } from "../../domain/workspace/UsageRecord.ts"
import { Billing } from "../../external/billing/Billing.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { linksFrom } from "../../links/Links.ts"
import { AiUsage } from "../../store/ai/AiUsage.ts"
import { Subscriptions } from "../../store/billing/Subscriptions.ts"
import { Subscribers } from "../../store/subscriber/Subscribers.ts"
import { Members } from "../../store/workspace/Members.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"
import { requireWorkspace } from "../workspace/RequireWorkspace.ts"

/** The failure of a deployment without a payment provider. The provider retries a notice that gets it. */
export const billingNotConfigured = new Unavailable({
  message: "Billing is not configured in this deployment",
  hint: "Without billing no plan limits apply. To enable billing, the operator sets STRIPE_SECRET_KEY"
})

const unclaimed = new Forbidden({
  message: "Only a claimed workspace can buy a plan",
  hint: claimHint
})

const isPaid = (plan: Plan) => paidPlans.some((paid) => paid === plan)

const offered: ReadonlyArray<Plan> = ["free", ...paidPlans, "self_hosted"]

export class ManageBilling extends Effect.Service<ManageBilling>()("belltower/ManageBilling", {
  effect: Effect.gen(function*() {
    const provider = yield* Billing
    const subscriptions = yield* Subscriptions
    const quotas = yield* Quotas
    const subscribers = yield* Subscribers
    const ai = yield* AiUsage
    const members = yield* Members
    const required = requireWorkspace(yield* Workspaces)
    const returnTo = linksFrom(yield* BaseUrl).app("")
    const configured = provider !== null

    /** The usage of a workspace, against the limits of its plan. */
    const usage = Effect.fn("ManageBilling.usage")(function*(workspaceId: WorkspaceId) {
      const { plan } = yield* required(workspaceId)
      const counts = yield* quotas.counts(workspaceId)
      return usageRecord(
        plan,
        { ...counts, subscribers: yield* subscribers.most(workspaceId), aiReports: yield* ai.used(workspaceId) },
        yield* DateTime.now
      )
    })

    const get = Effect.fn("ManageBilling.get")(function*(workspaceId: WorkspaceId) {
      const { plan } = yield* required(workspaceId)
      const held = yield* subscriptions.of(workspaceId)
      return {
        plan,
        name: planNames[plan],
        limits: plans[plan],
        usage: yield* usage(workspaceId),
        subscription: Option.match(held, { onNone: () => null, onSome: ({ subscription }) => subscription }),
        configured
      } satisfies BillingRecord
    })

    /** The buyer's email address; null if a key calls. */
    const buyerEmail = Effect.fn("ManageBilling.buyerEmail")(function*({ principal, workspaceId }: Caller) {
      if (principal._tag === "Key") return null
      const found = yield* members.findUser(workspaceId, principal.userId)
      return Option.match(found, { onNone: () => null, onSome: ({ email }) => email })
    })

    /** The URL for the buyer. A workspace with a subscription gets the customer portal, to prevent a second subscription. */
    const checkout = Effect.fn("ManageBilling.checkout")(function*(caller: Caller, { plan }: CheckoutInput) {
      const { workspaceId } = caller
      if (provider === null) return yield* billingNotConfigured
      const { claimed } = yield* required(workspaceId)
      if (!claimed) return yield* unclaimed
      const held = Option.getOrNull(yield* subscriptions.of(workspaceId))
      const customerId = held?.customerId ?? null
      const subscription = held?.subscription ?? null
      return subscription !== null && !isOver(subscription) && customerId !== null
        ? yield* provider.portal(customerId, returnTo)
        : yield* provider.checkout({ workspaceId, plan, customerId, email: yield* buyerEmail(caller), returnTo })
    })

    return {
      plans: offered.map((id): PlanOffer => ({
        id,
        name: planNames[id],
        limits: plans[id],
        purchasable: configured && isPaid(id)
      })),
      get,
      usage,
      checkout
    }
  }),
  dependencies: [AiUsage.Default, Subscribers.Default]
}) {}
