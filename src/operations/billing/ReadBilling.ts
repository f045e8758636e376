/** Reads the available plans, and the plan, usage and subscription of a workspace. */
import { Effect, Option } from "effect"
import type { Billing as BillingRecord, PlanOffer } from "../../../schema/billing/Billing.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { Plan } from "../../../schema/workspace/Workspace.ts"
import { paidPlans, planNames, plans } from "../../domain/billing/Plans.ts"
import { Billing } from "../../external/billing/Billing.ts"
import { Subscriptions } from "../../store/billing/Subscriptions.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"
import { ReadUsage } from "../workspace/ReadUsage.ts"
import { requireWorkspace } from "../workspace/RequireWorkspace.ts"

const isPaid = (plan: Plan) => paidPlans.some((paid) => paid === plan)

const offered: ReadonlyArray<Plan> = ["free", ...paidPlans, "self_hosted"]

export class ReadBilling extends Effect.Service<ReadBilling>()("belltower/ReadBilling", {
  effect: Effect.gen(function*() {
    const subscriptions = yield* Subscriptions
    const usage = yield* ReadUsage
    const required = requireWorkspace(yield* Workspaces)
    const configured = (yield* Billing) !== null

    const get = Effect.fn("ReadBilling.get")(function*(workspaceId: WorkspaceId) {
      const { plan } = yield* required(workspaceId)
      const held = yield* subscriptions.of(workspaceId)
      return {
        plan,
        name: planNames[plan],
        limits: plans[plan],
        usage: yield* usage.get(workspaceId),
        subscription: Option.match(held, { onNone: () => null, onSome: ({ subscription }) => subscription }),
        configured
      } satisfies BillingRecord
    })

    return {
      plans: offered.map((id): PlanOffer => ({
        id,
        name: planNames[id],
        limits: plans[id],
        purchasable: configured && isPaid(id)
      })),
      get
    }
  })
}) {}
