/** How often the entry points may be called, each counted by whom its comment names. (Specification: Limits.) */
import { Duration } from "effect"
import type { RateLimit } from "../../store/access/RateLimits.ts"

/** By the address of the client. */
export const bootstraps: RateLimit = { name: "bootstrap", limit: 5, window: Duration.hours(1) }

const quarter = Duration.minutes(15)

/** By address of mail. */
export const signInByEmail: RateLimit = { name: "sign-in-email", limit: 5, window: quarter }

/** By the address of the client. */
export const signInByAddress: RateLimit = { name: "sign-in-ip", limit: 20, window: quarter }

/** Codes of a second factor, right or wrong, by user: a guess at six digits must stay hopeless. */
export const secondFactorTries: RateLimit = { name: "second-factor", limit: 10, window: quarter }

/** Workspaces that a person makes, by user. */
export const workspacesByUser: RateLimit = { name: "workspaces", limit: 10, window: Duration.hours(1) }

/** By workspace: so many mails a day to addresses of the caller's choice are enough for any team. */
export const invitations: RateLimit = { name: "invitation", limit: 100, window: Duration.days(1) }
