/** Which escalation policy an incident follows. */
import { Order } from "effect"
import type { PolicyId } from "../../../schema/Ids.ts"

/** How a policy relates to an incident. */
export interface PolicyMatch {
  readonly id: PolicyId
  /** It names the incident's monitor. */
  readonly ofMonitor: boolean
  /** It names a page of the incident. */
  readonly ofPage: boolean
  readonly isDefault: boolean
}

/** The policy of the incident's monitor, else that of one of its pages, else the default. Of several, the oldest. */
export const policyFor = (policies: ReadonlyArray<PolicyMatch>): PolicyId | null => {
  // Ids sort by time.
  const oldestFirst = [...policies].sort(Order.mapInput(Order.string, ({ id }: PolicyMatch) => id))
  const found = oldestFirst.find(({ ofMonitor }) => ofMonitor) ?? oldestFirst.find(({ ofPage }) => ofPage) ??
    oldestFirst.find(({ isDefault }) => isDefault)
  return found?.id ?? null
}
