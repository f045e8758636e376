/** Moves a maintenance window of a source to the status that its times imply. */
import type { DateTime } from "effect"
import { dueSteps } from "../incident/MaintenanceClock.ts"
import { maintenanceNote } from "../incident/ManualIncident.ts"
import type { FoundIncident, FoundUpdate } from "./Inventory.ts"

/** A source may leave a window at a status of the past, whose steps the actor would announce late. Series go on by their actor. */
export const caughtUp = (found: FoundIncident, now: DateTime.Utc): FoundIncident => {
  if (found.kind === "incident" || found.resolvedAt !== null) return found
  const steps = dueSteps(found, now).flatMap(({ at, status }): ReadonlyArray<FoundUpdate> =>
    status === "scheduled" || (status === "completed" && found.series !== null)
      ? []
      : [{ status, body: maintenanceNote(status), at }]
  )
  const last = steps.at(-1)
  if (last === undefined) return found
  return {
    ...found,
    status: last.status,
    resolvedAt: last.status === "completed" ? last.at : null,
    updates: [...found.updates, ...steps]
  }
}
