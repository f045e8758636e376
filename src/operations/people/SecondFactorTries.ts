/** Codes of a second factor: how often they may be tried, and the failure of a wrong one. */
import { Duration } from "effect"
import { ValidationFailed } from "../../../schema/Errors.ts"
import type { RateLimit } from "../../store/access/RateLimits.ts"

/** By user, for right and wrong codes alike: guessing six digits must stay hopeless. */
export const secondFactorTries: RateLimit = { name: "second-factor", limit: 10, window: Duration.minutes(15) }

export const wrongCode = new ValidationFailed({
  message: "The code is wrong, or was used before",
  hint: "Wait for the next code of the app, or use a recovery code",
  details: [{ path: "code", message: "Not a code of this account at this time" }]
})
