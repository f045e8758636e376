/** The limits of each plan. */
import { PaidPlan } from "../../../schema/billing/Billing.ts"
import type { Limits, Plan } from "../../../schema/workspace/Workspace.ts"

export const planNames = {
  free: "Free",
  starter: "Starter",
  business: "Business",
  self_hosted: "Self-hosted"
} as const satisfies Record<Plan, string>

/** The plans that can be bought, the cheapest first. */
export const paidPlans = PaidPlan.literals

/** The plan of a new workspace. A deployment without billing has no limits. */
export const initialPlan = (canBuy: boolean): Plan => (canBuy ? "free" : "self_hosted")

/** null is unlimited; intervals in seconds. */
export const plans = {
  free: {
    monitors: 50,
    minIntervalSec: 60,
    regionsPerMonitor: 3,
    pages: 1,
    customDomains: 0,
    subscribersPerPage: 100,
    codeMonitors: 1,
    members: 3,
    aiReportsPerMonth: 10,
    onCall: false
  },
  starter: {
    monitors: 250,
    minIntervalSec: 30,
    regionsPerMonitor: 5,
    pages: 5,
    customDomains: 5,
    subscribersPerPage: 2_000,
    codeMonitors: 10,
    members: 10,
    aiReportsPerMonth: 100,
    onCall: false
  },
  business: {
    monitors: 5_000,
    minIntervalSec: 10,
    regionsPerMonitor: 10,
    pages: 50,
    customDomains: 50,
    subscribersPerPage: 100_000,
    codeMonitors: 500,
    members: 100,
    aiReportsPerMonth: 1_000,
    onCall: true
  },
  self_hosted: {
    monitors: null,
    minIntervalSec: 10,
    regionsPerMonitor: 10,
    pages: null,
    customDomains: null,
    subscribersPerPage: null,
    codeMonitors: null,
    members: null,
    aiReportsPerMonth: null,
    onCall: true
  }
} as const satisfies Record<Plan, Limits>
