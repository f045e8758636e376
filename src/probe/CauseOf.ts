/** Why nothing came back from a target, for machines. */
import type { Cause } from "../../schema/check/Check.ts"
import type { BlockedTarget, RequestFailed } from "../egress/EgressGuard.ts"

export const causeOf = (failure: BlockedTarget | RequestFailed): Cause =>
  failure._tag === "BlockedTarget" ? "blocked_target" : failure.cause
