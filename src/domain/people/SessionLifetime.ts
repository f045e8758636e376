/** How long a person stays signed in. (Interface decisions: Access.) */
import { Duration } from "effect"

export const sessionLifetime = Duration.days(30)
