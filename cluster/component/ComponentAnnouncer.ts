/** Announces a component's change of status: changes its page's automatic incident, and drafts the events of both. */
import { Effect } from "effect"
import type { EventDraft } from "../../schema/event/EventData.ts"
import { type OutageChange, outageChange, outageRules } from "../../src/domain/incident/ComponentOutage.ts"
import type { ComponentWithState, Settled } from "../../src/store/component/ComponentStates.ts"
import { AutomaticIncidents, type IncidentOutcome } from "../incident/AutomaticIncidents.ts"

/** The new state of a component, except for its incident. */
type Shown = Omit<Settled, "incidentId">

/** No event for a component that had not been announced before: it changes from nothing. */
const statusChanged = (
  { component, told }: ComponentWithState,
  { at, status, statusMessage }: Shown
): ReadonlyArray<EventDraft> => {
  if (told.status === null || told.status === status) return []
  const { description, group, id, key, name } = component
  const shown = { id, key, name, description, group, status, statusMessage, updatedAt: at }
  return [{ type: "component.status_changed", data: { component: shown, from: told.status, to: status } }]
}

/** Only pushes open and end the page's incident: monitors have their own, and people write theirs. */
const outageOf = ({ component, told }: ComponentWithState, { pushState }: Shown): OutageChange =>
  pushState === null ? { _tag: "Nothing" } : outageChange(
    outageRules(told.settings, component.hidden),
    told.incidentId !== null,
    component.pushState?.shown ?? "unknown",
    pushState.shown
  )

export class ComponentAnnouncer extends Effect.Service<ComponentAnnouncer>()("belltower/ComponentAnnouncer", {
  effect: Effect.gen(function*() {
    const incidents = yield* AutomaticIncidents

    /** Writes the change of the page's incident, in the caller's transaction, and drafts all events. */
    const tell = Effect.fn("ComponentAnnouncer.tell")(function*(row: ComponentWithState, shown: Shown) {
      const times = { since: shown.pushState?.since ?? shown.at.epochMillis, at: shown.at }
      const { drafts, incidentId } = yield* incidents.changeForComponent(
        row.component,
        row.told.incidentId,
        outageOf(row, shown),
        times
      )
      const announcement: IncidentOutcome = { incidentId, drafts: [...statusChanged(row, shown), ...drafts] }
      return announcement
    })

    return { tell }
  }),
  dependencies: [AutomaticIncidents.Default]
}) {}
