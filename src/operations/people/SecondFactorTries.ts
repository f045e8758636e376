/** The rate limit of second-factor codes, and the failure of a wrong code. */
import { Duration } from "effect"
import { validationFailure } from "../../domain/Refusal.ts"
import type { RateLimit } from "../../store/access/RateLimits.ts"

/** Per user, counting right and wrong codes, to make guessing six digits infeasible. */
export const secondFactorTries: RateLimit = { name: "second-factor", limit: 10, window: Duration.minutes(15) }

export const wrongCode = validationFailure([{
  path: "code",
  message: "The code is wrong or was already used",
  hint: "Wait for the next code in your app, or use a recovery code"
}])
