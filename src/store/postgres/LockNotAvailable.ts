/** Whether a statement failed because it waited too long for a lock. */
import { Predicate } from "effect"

/** The code of PostgreSQL for a lock that was not available within `lock_timeout`. */
const lockNotAvailable = "55P03"

export const isLockNotAvailable = (error: unknown): boolean =>
  (Predicate.hasProperty(error, "code") && error.code === lockNotAvailable) ||
  (Predicate.hasProperty(error, "cause") && isLockNotAvailable(error.cause))
