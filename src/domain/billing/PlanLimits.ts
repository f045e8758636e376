/** Whether a plan allows what a workspace asks for, and which plan would. */
import { PlanLimit } from "../../../schema/Errors.ts"
import type { AvailableKind } from "../../../schema/monitor/kinds.ts"
import type { Limits, Plan } from "../../../schema/workspace/Workspace.ts"
import { codeKinds, isProbed } from "../monitor/kinds.ts"
import type { MonitorSettings } from "../monitor/MonitorSettings.ts"
import { paidPlans, planNames, plans } from "./Plans.ts"

/** The limits that are numbers. */
export type LimitName = Exclude<keyof Limits, "onCall">

/** What a workspace would have of something limited, and what it has; a new monitor had no regions, an endless interval. */
export interface Wish {
  readonly limit: LimitName
  readonly had: number
  readonly wanted: number
}

/** The interval is the one limit that is a least value. */
const isWithin = (limits: Limits, { limit, wanted }: Wish): boolean => {
  const bound = limits[limit]
  return bound === null || (limit === "minIntervalSec" ? wanted >= bound : wanted <= bound)
}

/** A plan that has shrunk takes nothing away: only more than there is asks anything of it. */
const asksForMore = ({ had, limit, wanted }: Wish): boolean => (limit === "minIntervalSec" ? wanted < had : wanted > had)

/** An amount in words: `50 monitors`, `1 status page`, `no custom domains`. */
const amount = (count: number | null, one: string, many: string): string =>
  count === null ? `any number of ${many}` : count === 0 ? `no ${many}` : count === 1 ? `1 ${one}` : `${count} ${many}`

const allowances = {
  monitors: ({ monitors }) => `allows ${amount(monitors, "monitor", "monitors")}`,
  minIntervalSec: ({ minIntervalSec }) => `allows a check every ${minIntervalSec} s at most`,
  regionsPerMonitor: ({ regionsPerMonitor }) => `allows ${amount(regionsPerMonitor, "region", "regions")} for each monitor`,
  pages: ({ pages }) => `allows ${amount(pages, "status page", "status pages")}`,
  customDomains: ({ customDomains }) => `allows ${amount(customDomains, "custom domain", "custom domains")}`,
  subscribersPerPage: (limits) => `allows ${amount(limits.subscribersPerPage, "subscriber", "subscribers")} for each page`,
  codeMonitors: (limits) => `allows ${amount(limits.codeMonitors, "browser or script monitor", "browser or script monitors")}`,
  members: ({ members }) => `allows ${amount(members, "member", "members")}, pending invitations included`,
  aiReportsPerMonth: ({ aiReportsPerMonth }) => `allows ${amount(aiReportsPerMonth, "AI report", "AI reports")} a month`
} as const satisfies Record<LimitName, (limits: Limits) => string>

const refusal = (plan: Plan, wish: Wish, wishes: ReadonlyArray<Wish>): PlanLimit => {
  const message = `The plan ${planNames[plan]} ${allowances[wish.limit](plans[plan])}`
  const lifting = paidPlans.find((paid) => wishes.every((one) => isWithin(plans[paid], one)))
  return lifting === undefined
    ? new PlanLimit({ message, hint: "No plan allows more; GET /api/v1/billing/plans lists them. What exists already goes on" })
    : new PlanLimit({
      message,
      hint: `${planNames[lifting]} lifts this: POST /api/v1/billing/checkout with plan ${lifting} gives a URL to hand to a human`,
      details: { upgrade: { plan: lifting, name: planNames[lifting] } }
    })
}

type Watched = Pick<MonitorSettings, "intervalSec" | "regions" | "target">

/** What a monitor's settings ask of the plan; `before` is null for a new one. Only probed monitors have an interval and regions. */
export const monitorWishes = (after: Watched, before: Watched | null): ReadonlyArray<Wish> =>
  isProbed(after.target)
    ? [
      { limit: "minIntervalSec", had: before?.intervalSec ?? Number.POSITIVE_INFINITY, wanted: after.intervalSec },
      { limit: "regionsPerMonitor", had: before?.regions.length ?? 0, wanted: after.regions.length }
    ]
    : []

/** How many monitors that run code a monitor of this kind is. */
export const codeMonitors = (kind: AvailableKind): number => (codeKinds.includes(kind) ? 1 : 0)

/** Why a plan refuses a change as a whole, naming the cheapest plan that allows it; null when it does itself. */
export const planRefusal = (plan: Plan, wishes: ReadonlyArray<Wish>): PlanLimit | null => {
  const refused = wishes.find((wish) => asksForMore(wish) && !isWithin(plans[plan], wish))
  return refused === undefined ? null : refusal(plan, refused, wishes.filter(asksForMore))
}
