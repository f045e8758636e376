/** The restrictions on an unclaimed workspace. (Specification: Authentication, 7.) */
import { Forbidden } from "../../../schema/Errors.ts"

/** The refusal of a feature, such as "Invitations", that sends email before a human has claimed the workspace. */
export const closedUntilClaimed = (feature: string): Forbidden =>
  new Forbidden({
    message: `${feature} are unavailable until the workspace is claimed, because they send email`,
    hint: "Give the claimUrl from POST /api/v1/agent/bootstrap to a human, who opens it and signs in"
  })
