/** The restrictions on an unclaimed workspace, and who may have it claimed. (Specification: Authentication, 7.) */
import type { Caller } from "../../../schema/access/Caller.ts"
import { Forbidden } from "../../../schema/Errors.ts"
import { mayAct } from "../access/Roles.ts"

export const claimHint =
  "Give workspace.claimUrl, which whoami returns to a write key (GET /api/v1/agent/whoami), to a human who opens it and signs in"

/** The refusal of a feature, such as "Invitations", that sends email before a human has claimed the workspace. */
export const closedUntilClaimed = (feature: string): Forbidden =>
  new Forbidden({
    message: `${feature} are unavailable until the workspace is claimed, because they send email`,
    hint: claimHint
  })

/** True if a caller may pass on the claim, which makes its user an owner. A delegated key gives away no more than it has. */
export const seesClaim = ({ principal, role }: Caller): boolean => mayAct(role, principal._tag === "Key" ? "owner" : "admin")
