/** The lifetime of a sign-in session. (Interface decisions: Access.) */
import { Duration } from "effect"

export const sessionLifetime = Duration.days(30)
