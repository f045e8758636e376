/** How often the entry points may be called, each counted by the subject that its comment names. (Specification: Limits.) */
import { Duration } from "effect"
import type { RateLimit } from "../../store/access/RateLimits.ts"

/** By component. */
export const pushes: RateLimit = { name: "push", limit: 120, window: Duration.minutes(1) }
