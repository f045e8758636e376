/** Incidents as people write them: their impact, their components, and the notes that the service writes for them. */
import type { DateTime } from "effect"
import type { AffectedComponent, Impact, IncidentKind, ProgressStatus, SetComponent } from "../../../schema/incident/Incident.ts"
import { durationText, secondsBetween } from "../tools/Duration.ts"
import { en } from "../words/en.ts"
import { impactOf } from "./AutomaticIncident.ts"
import { endOf } from "./IncidentMachine.ts"
import { withStatus } from "./WorstStatus.ts"

/** The impact of an incident whose author gave none. */
export const defaultImpact = (components: ReadonlyArray<AffectedComponent>): Impact =>
  components.length === 0 ? "minor" : impactOf(components.map(({ status }) => status))

/** The components with those that a person has listed: a listed component gets the listed status, the last one if repeated. */
export const withListed = (
  components: ReadonlyArray<SetComponent>,
  listed: ReadonlyArray<AffectedComponent>
): ReadonlyArray<SetComponent> => {
  const byId = new Map(components.map((one) => [one.componentId, one]))
  for (const { componentId, status } of listed) {
    byId.set(componentId, withStatus(byId.get(componentId), { componentId, status, byPerson: true }))
  }
  return [...byId.values()]
}

/** The times of an incident that moves to a status at `now`. */
export const timesAfter = (
  { from, resolvedAt, startedAt }: {
    readonly from: ProgressStatus
    readonly startedAt: DateTime.Utc
    readonly resolvedAt: DateTime.Utc | null
  },
  to: ProgressStatus,
  now: DateTime.Utc
): { readonly startedAt: DateTime.Utc; readonly resolvedAt: DateTime.Utc | null } => {
  const isEnd = to !== from && (to === "resolved" || to === "completed")
  // A window that starts early, or is cancelled before it starts, began now and not at its scheduled start.
  const beganNow = from === "scheduled" && to !== from && startedAt.epochMillis > now.epochMillis
  return { startedAt: beganNow ? now : startedAt, resolvedAt: isEnd ? now : resolvedAt }
}

/** The note of an incident that ends without one. It names the components that visitors know, if there are any. */
export const endNote = (
  kind: IncidentKind,
  names: ReadonlyArray<string>,
  startedAt: DateTime.Utc,
  now: DateTime.Utc
): string => {
  if (kind === "maintenance") return en.maintenanceCompleted
  const lasted = durationText(secondsBetween(startedAt.epochMillis, now.epochMillis))
  return names.length === 0 ? en.resolvedAfter(lasted) : en.recovered(names.join(", "), lasted)
}

/** The note that reminds of a maintenance window, in whole minutes: one that goes out a second late says the same. */
export const reminderNote = (start: DateTime.Utc, now: DateTime.Utc): string =>
  en.maintenanceSoon(durationText(60 * Math.max(1, Math.round(secondsBetween(now.epochMillis, start.epochMillis) / 60))))

export const maintenanceNote = (status: "in_progress" | "completed"): string =>
  status === endOf.maintenance ? en.maintenanceCompleted : en.maintenanceStarted
