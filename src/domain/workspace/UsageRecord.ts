/** Compares a workspace's usage with the limits of its plan. */
import { DateTime } from "effect"
import type { Allowance, Usage } from "../../../schema/workspace/Usage.ts"
import type { Plan } from "../../../schema/workspace/Workspace.ts"
import { plans } from "../billing/Plans.ts"

type Used = Readonly<Record<Exclude<keyof Usage, "plan">, number>>

export const usageRecord = (plan: Plan, used: Used, now: DateTime.Utc): Usage => {
  const limits = plans[plan]
  const of = (count: number, limit: number | null): Allowance => ({ used: count, limit })
  return {
    plan,
    monitors: of(used.monitors, limits.monitors),
    codeMonitors: of(used.codeMonitors, limits.codeMonitors),
    pages: of(used.pages, limits.pages),
    customDomains: of(used.customDomains, limits.customDomains),
    members: of(used.members, limits.members),
    subscribers: of(used.subscribers, limits.subscribersPerPage),
    aiReports: {
      ...of(used.aiReports, limits.aiReportsPerMonth),
      resetsAt: DateTime.startOf(DateTime.add(DateTime.startOf(now, "month"), { months: 1 }), "month")
    }
  }
}
