/** The refusal of a change by the limits of a plan, with the plan that would allow it. */
import type { PaidPlan } from "../../../schema/billing/Billing.ts"
import { PlanLimit } from "../../../schema/Errors.ts"
import type { MonitorKind } from "../../../schema/monitor/MonitorKind.ts"
import type { Limits, Plan } from "../../../schema/workspace/Workspace.ts"
import { codeKinds, isProbed } from "../monitor/kinds.ts"
import type { MonitorSettings } from "../monitor/settings/MonitorSettings.ts"
import { counted } from "../tools/text/Counted.ts"
import { paidPlans, planNames, plans } from "./Plans.ts"

export type LimitName = Exclude<keyof Limits, "onCall">

/** How much of a limited resource a workspace has and wants. A new monitor starts from no regions and an infinite interval. */
export interface Wish {
  readonly limit: LimitName
  readonly had: number
  readonly wanted: number
}

/** The interval is the only limit that is a minimum. */
const isWithin = (limits: Limits, { limit, wanted }: Wish): boolean => {
  const bound = limits[limit]
  return bound === null || (limit === "minIntervalSec" ? wanted >= bound : wanted <= bound)
}

/** After a downgrade, existing resources stay: the plan's limits apply only to increases. */
const asksForMore = ({ had, limit, wanted }: Wish): boolean => (limit === "minIntervalSec" ? wanted < had : wanted > had)

/** An amount as text: `50 monitors`, `1 status page`, `no custom domains`. */
const amount = (count: number | null, one: string, many: string): string =>
  count === null ? `any number of ${many}` : count === 0 ? `no ${many}` : counted(count, one, many)

const allowances = {
  monitors: ({ monitors }) => `allows ${amount(monitors, "monitor", "monitors")}`,
  minIntervalSec: ({ minIntervalSec }) => `allows intervals of ${minIntervalSec} s or more`,
  regionsPerMonitor: ({ regionsPerMonitor }) => `allows ${amount(regionsPerMonitor, "region", "regions")} per monitor`,
  pages: ({ pages }) => `allows ${amount(pages, "status page", "status pages")}`,
  customDomains: ({ customDomains }) => `allows ${amount(customDomains, "custom domain", "custom domains")}`,
  subscribersPerPage: (limits) => `allows ${amount(limits.subscribersPerPage, "subscriber", "subscribers")} per page`,
  codeMonitors: (limits) => `allows ${amount(limits.codeMonitors, "browser or script monitor", "browser or script monitors")}`,
  members: ({ members }) => `allows ${amount(members, "member", "members")}, including pending invitations`,
  aiReportsPerMonth: ({ aiReportsPerMonth }) => `allows ${amount(aiReportsPerMonth, "AI report", "AI reports")} per month`
} as const satisfies Record<LimitName, (limits: Limits) => string>

const upgradeTo = (plan: PaidPlan) => ({
  hint: `Upgrade to ${planNames[plan]}: POST /api/v1/billing/checkout with plan ${plan} returns a URL for a human`,
  details: { upgrade: { plan, name: planNames[plan] } }
})

const refusal = (plan: Plan, wish: Wish, wishes: ReadonlyArray<Wish>): PlanLimit => {
  const message = `The ${planNames[plan]} plan ${allowances[wish.limit](plans[plan])}`
  const upgrade = paidPlans.find((paid) => wishes.every((one) => isWithin(plans[paid], one)))
  return upgrade === undefined
    ? new PlanLimit({ message, hint: "No plan allows more; see GET /api/v1/billing/plans. Existing resources stay" })
    : new PlanLimit({ message, ...upgradeTo(upgrade) })
}

type Watched = Pick<MonitorSettings, "intervalSec" | "regions" | "target">

/** The limits that a monitor's settings need; `before` is null for a new one. Only probed monitors have such limits. */
export const monitorWishes = (after: Watched, before: Watched | null): ReadonlyArray<Wish> =>
  isProbed(after.target)
    ? [
      { limit: "minIntervalSec", had: before?.intervalSec ?? Number.POSITIVE_INFINITY, wanted: after.intervalSec },
      { limit: "regionsPerMonitor", had: before?.regions.length ?? 0, wanted: after.regions.length }
    ]
    : []

/** 1 if monitors of this kind run the tenant's code, else 0. */
export const codeMonitors = (kind: MonitorKind): number => (codeKinds.includes(kind) ? 1 : 0)

/** Why a plan refuses on-call schedules and escalation policies; null if it allows them. */
export const onCallRefusal = (plan: Plan): PlanLimit | null => {
  if (plans[plan].onCall) return null
  const upgrade = paidPlans.find((paid) => plans[paid].onCall)
  const message = `The ${planNames[plan]} plan has no on-call schedules and escalation policies`
  return new PlanLimit(
    upgrade === undefined ? { message, hint: "See GET /api/v1/billing/plans" } : { message, ...upgradeTo(upgrade) }
  )
}

/** Why a plan refuses a change, with the cheapest plan that allows all of it; null if the plan allows it. */
export const planRefusal = (plan: Plan, wishes: ReadonlyArray<Wish>): PlanLimit | null => {
  const refused = wishes.find((wish) => asksForMore(wish) && !isWithin(plans[plan], wish))
  return refused === undefined ? null : refusal(plan, refused, wishes.filter(asksForMore))
}
