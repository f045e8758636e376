/** The lifetime of a sign-in session, and how long a browser is known by one. (Specification: Authentication.) */
import { Duration } from "effect"

export const sessionLifetime = Duration.days(30)

/** Since the last sign-in. Browsers keep no cookie for longer. */
export const knownBrowserLifetime = Duration.days(400)
