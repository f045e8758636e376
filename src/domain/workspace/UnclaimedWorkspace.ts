/** What an unclaimed workspace may not do. (Specification: Authentication, 7.) */
import { Forbidden } from "../../../schema/Errors.ts"

/** Why `feature`, such as "Invitations", is closed: it sends mail, and no human has claimed the workspace yet. */
export const closedUntilClaimed = (feature: string): Forbidden =>
  new Forbidden({
    message: `${feature} are closed until the workspace is claimed, since they send mail`,
    hint: "Hand the claimUrl from POST /api/v1/agent/bootstrap to a human, who opens it and signs in"
  })
