/** How much of what its plan allows a workspace uses. */
import { Schema } from "effect"
import { Timestamp } from "../Fields.ts"
import { Plan } from "./Workspace.ts"

const allowance = {
  used: Schema.Int,
  limit: Schema.NullOr(Schema.Int).annotations({ description: "What the plan allows; null is unlimited" })
}

/** How much of one limit is used; more than the limit where the plan has shrunk since. */
export const Allowance = Schema.Struct(allowance).annotations({ identifier: "Allowance" })
export type Allowance = typeof Allowance.Type

export const Usage = Schema.Struct({
  plan: Plan,
  monitors: Allowance,
  codeMonitors: Allowance.annotations({ description: "Browser and script monitors; they count as monitors too" }),
  pages: Allowance,
  customDomains: Allowance,
  members: Allowance.annotations({ description: "Members and pending invitations" }),
  subscribers: Allowance.annotations({ description: "Of the page that has the most; the limit is for each page" }),
  aiReports: Schema.Struct({
    ...allowance,
    resetsAt: Timestamp.annotations({ description: "When the next month begins, in UTC" })
  }).annotations({ description: "This calendar month, in UTC" })
}).annotations({ identifier: "Usage" })
export type Usage = typeof Usage.Type
