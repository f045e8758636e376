/** The handlers of plans and billing. */
import { HttpApiBuilder } from "@effect/platform"
import { Effect, Option } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import type { Billing as BillingRecord, Checkout, CheckoutInput, PlanOffer } from "../../../schema/billing/Billing.ts"
import { Forbidden } from "../../../schema/Errors.ts"
import type { Plan } from "../../../schema/workspace/Workspace.ts"
import { paidPlans, planNames, plans } from "../../domain/billing/Plans.ts"
import { isOver } from "../../domain/billing/SubscriptionChoice.ts"
import { Billing } from "../../external/billing/Billing.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { linksFrom } from "../../links/Links.ts"
import { Subscriptions } from "../../store/billing/Subscriptions.ts"
import { Members } from "../../store/workspace/Members.ts"
import { requireWorkspace, usageOf } from "../workspace/WorkspaceHandlers.ts"
import { notConfigured } from "./BillingRoutes.ts"

const unclaimed = new Forbidden({
  message: "A plan is bought for a claimed workspace only: whoever pays is to own it",
  hint: "Hand the claimUrl from POST /api/v1/agent/bootstrap to a human first"
})

const isPaid = (plan: Plan) => paidPlans.some((paid) => paid === plan)

export const listPlans = Effect.fn("Billing.listPlans")(function*() {
  const provider = yield* Billing
  const ids: ReadonlyArray<Plan> = ["free", ...paidPlans, "self_hosted"]
  const data = ids.map((id): PlanOffer => ({
    id,
    name: planNames[id],
    limits: plans[id],
    purchasable: provider !== null && isPaid(id)
  }))
  return { data, next: null }
})

export const getBilling = Effect.fn("Billing.get")(function*() {
  const { workspaceId } = yield* Access
  const { plan } = yield* requireWorkspace(workspaceId)
  const held = yield* Effect.flatMap(Subscriptions, (subscriptions) => subscriptions.of(workspaceId))
  return {
    plan,
    name: planNames[plan],
    limits: plans[plan],
    usage: yield* usageOf(workspaceId),
    subscription: Option.match(held, { onNone: () => null, onSome: ({ subscription }) => subscription }),
    configured: (yield* Billing) !== null
  } satisfies BillingRecord
})

/** The buyer's address, where a person asks and not a key. */
const callerEmail = Effect.fn("Billing.callerEmail")(function*() {
  const { principal, workspaceId } = yield* Access
  if (principal._tag === "Key") return null
  const found = yield* Effect.flatMap(Members, (members) => members.findUser(workspaceId, principal.userId))
  return Option.match(found, { onNone: () => null, onSome: ({ email }) => email })
})

/** Who has a subscription changes that one, so that nobody pays for two. */
export const createCheckout = Effect.fn("Billing.checkout")(function*({ payload }: { readonly payload: CheckoutInput }) {
  const { workspaceId } = yield* Access
  const provider = yield* Billing
  if (provider === null) return yield* notConfigured
  const { claimed } = yield* requireWorkspace(workspaceId)
  if (!claimed) return yield* unclaimed
  const held = Option.getOrNull(yield* Effect.flatMap(Subscriptions, (subscriptions) => subscriptions.of(workspaceId)))
  const returnTo = linksFrom(yield* BaseUrl).app("")
  const customerId = held?.customerId ?? null
  const subscribed = held?.subscription !== null && held?.subscription !== undefined && !isOver(held.subscription)
  const url = subscribed && customerId !== null
    ? yield* provider.portal(customerId, returnTo)
    : yield* provider.checkout({ workspaceId, plan: payload.plan, customerId, email: yield* callerEmail(), returnTo })
  return { url } satisfies Checkout
})

export const BillingLive = HttpApiBuilder.group(Api, "Billing", (handlers) =>
  handlers
    .handle("list_plans", listPlans)
    .handle("get_billing", getBilling)
    .handle("create_checkout", createCheckout))
