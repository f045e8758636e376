/** A workspace's usage of its plan limits. */
import { Schema } from "effect"
import { described, orNull, Timestamp } from "../Fields.ts"
import { Plan } from "./Workspace.ts"

const allowance = {
  used: Schema.Int,
  limit: orNull(Schema.Int, "Limit of the plan; null is unlimited")
}

/** The usage of one limit. It exceeds the limit after a downgrade. */
export const Allowance = Schema.Struct(allowance).annotations({ identifier: "Allowance" })
export type Allowance = typeof Allowance.Type

export const Usage = Schema.Struct({
  plan: Plan,
  monitors: described(Allowance, "Monitors of every kind"),
  codeMonitors: Allowance.annotations({ description: "Browser and script monitors; they also count as monitors" }),
  pages: described(Allowance, "Status pages"),
  customDomains: described(Allowance, "Pages with a domain of their own"),
  members: Allowance.annotations({ description: "Members and pending invitations" }),
  subscribers: Allowance.annotations({ description: "Subscribers of the page with the most; the limit applies to each page" }),
  aiReports: Schema.Struct({
    ...allowance,
    resetsAt: Timestamp.annotations({ description: "Start of the next month, in UTC" })
  }).annotations({ description: "AI reports in the current calendar month, in UTC" })
}).annotations({ identifier: "Usage" })
export type Usage = typeof Usage.Type
