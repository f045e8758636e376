/** The time in which a deploy may have caused an incident, or ended it. */
import { DateTime } from "effect"

/** From an hour before an incident through its end; an open one has no end. (Specification: Deploys.) */
export const deployWindow = (startedAt: DateTime.Utc, resolvedAt: DateTime.Utc | null) => ({
  since: DateTime.subtract(startedAt, { hours: 1 }),
  until: resolvedAt
})
