/** Announces a component's changes: of its status, and of its page's automatic incident. */
import { Effect } from "effect"
import type { EventDraft } from "../../../schema/event/EventData.ts"
import { affecting } from "../../domain/component/ComponentStatus.ts"
import { type OutageChange, outageChange, outageRules } from "../../domain/incident/ComponentOutage.ts"
import { takesReports } from "../../store/component/ComponentRows.ts"
import type { ComponentWithState, Settled } from "../../store/component/ComponentStates.ts"
import { AutomaticIncidents, type IncidentOutcome } from "../incident/AutomaticIncidents.ts"

/** The new state of a component, except for its incident. */
interface Shown extends Omit<Settled, "incidentId"> {
  /** When the automatic status began, ms. */
  readonly automaticSince: number
}

/** No event for a component that had not been announced before: it changes from nothing. */
export const statusChanged = (
  { component, announced }: ComponentWithState,
  { at, status, statusMessage }: Shown
): ReadonlyArray<EventDraft> => {
  if (announced.status === null || announced.status === status) return []
  const { description, group, id, key, name } = component
  const shown = { id, key, name, description, group, status, statusMessage, updatedAt: at }
  return [{ type: "component.status_changed", data: { component: shown, from: announced.status, to: status } }]
}

type Component = ComponentWithState["component"]

/**
 * A component with reports of its own reports its own outages, and so does one that follows the majority of several monitors: a
 * monitor of a minority must not. Every other monitor has its own incident, and people write theirs.
 */
const reportsItself = (component: Component): boolean =>
  takesReports(component) || (component.aggregate === "majority" && component.monitorIds.length > 1)

/** A component in a running maintenance window announces no new outage; if it still fails afterwards, it does. */
const waitsForMaintenance = ({ component, announced }: ComponentWithState): boolean =>
  announced.incidentId === null && affecting(component.maintenances).length > 0

const isPaused = ({ monitors }: Component): boolean => monitors.length > 0 && monitors.every(({ state }) => state === "paused")

const outageOf = (row: ComponentWithState, { automatic }: Shown): OutageChange => {
  const { component, announced } = row
  return waitsForMaintenance(row) ? { _tag: "Nothing" } : outageChange(
    outageRules(announced.settings, { hidden: component.hidden, reportsItself: reportsItself(component) }),
    announced.incidentId !== null,
    (takesReports(component) ? component.pushState?.shown : announced.automatic) ?? "unknown",
    automatic,
    isPaused(component)
  )
}

export class ComponentAnnouncer extends Effect.Service<ComponentAnnouncer>()("belltower/ComponentAnnouncer", {
  effect: Effect.gen(function*() {
    const incidents = yield* AutomaticIncidents

    /** Writes the change of the page's incident, in the caller's transaction, and drafts its events. */
    const changeIncident = (row: ComponentWithState, shown: Shown): Effect.Effect<IncidentOutcome> =>
      incidents.changeForComponent(
        { ...row.component, reportsItself: reportsItself(row.component) },
        row.announced.incidentId,
        outageOf(row, shown),
        { since: shown.automaticSince, at: shown.at }
      )

    return { changeIncident }
  }),
  dependencies: [AutomaticIncidents.Default]
}) {}
