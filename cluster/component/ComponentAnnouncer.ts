/** What a component's change of status means for others: its page's automatic incident, and the events that tell of both. */
import { DateTime, Effect, Option } from "effect"
import type { EventDraft } from "../../schema/event/EventData.ts"
import { instant } from "../../schema/Fields.ts"
import type { IncidentId } from "../../schema/Ids.ts"
import { durationText } from "../../src/domain/Duration.ts"
import { outageChange } from "../../src/domain/incident/ComponentOutage.ts"
import { withSettingsDefaults } from "../../src/domain/page/PageDefaults.ts"
import { en } from "../../src/domain/words/en.ts"
import { Links } from "../../src/links/Links.ts"
import type { ComponentWithState, Settled } from "../../src/store/component/ComponentStates.ts"
import { Incidents } from "../../src/store/incident/Incidents.ts"
import { PageOutages, type Written } from "../../src/store/incident/PageOutages.ts"

export interface ComponentAnnouncement {
  readonly incidentId: IncidentId | null
  readonly drafts: ReadonlyArray<EventDraft>
}

/** What a component came to, as far as that does not depend on its incident. */
type Shown = Omit<Settled, "incidentId">

/** Of a component that nobody was told of yet, there is nothing that it changed from. */
const statusChanged = (
  { component, told }: ComponentWithState,
  { at, status, statusMessage }: Shown
): ReadonlyArray<EventDraft> => {
  if (told.status === null || told.status === status) return []
  const { description, group, id, key, name } = component
  const shown = { id, key, name, description, group, status, statusMessage, updatedAt: at }
  return [{ type: "component.status_changed", data: { component: shown, from: told.status, to: status } }]
}

/** Never negative. */
const secondsBetween = (from: DateTime.Utc, to: DateTime.Utc): number =>
  Math.max(0, Math.round(DateTime.distance(from, to) / 1000))

export class ComponentAnnouncer extends Effect.Service<ComponentAnnouncer>()("belltower/ComponentAnnouncer", {
  effect: Effect.gen(function*() {
    const incidents = yield* Incidents
    const outages = yield* PageOutages
    const links = yield* Links

    const draftsOf = Effect.fnUntraced(function*({ component }: ComponentWithState, { incidentId, kind, update }: Written) {
      const found = yield* incidents.find(component.workspaceId, incidentId, links.incident)
      if (Option.isNone(found)) return []
      const incident = found.value
      const seconds = secondsBetween(incident.startedAt, incident.resolvedAt ?? update.at)
      const drafts: ReadonlyArray<EventDraft> = [
        kind === "created"
          ? { type: "incident.created", data: { incident, update } }
          : kind === "updated"
          ? { type: "incident.updated", data: { incident, update } }
          : {
            type: "incident.resolved",
            data: { incident, update, durationMinutes: Math.round(seconds / 60), durationText: durationText(seconds) }
          }
      ]
      return drafts
    })

    /** Takes the component into the page's incident, or out of it. By what is pushed alone: what people wrote is theirs. */
    const settleIncident = Effect.fnUntraced(function*(row: ComponentWithState, { at, pushState }: Shown) {
      const { component, told } = row
      const open = told.incidentId
      if (pushState === null) return { incidentId: open, written: Option.none<Written>() }
      const rules = withSettingsDefaults(told.settings, "UTC")
      const deed = outageChange(
        { autoIncidents: rules.autoIncidents && !component.hidden, incidentMinStatus: rules.incidentMinStatus },
        open !== null,
        component.pushState?.shown ?? "unknown",
        pushState.shown
      )
      if (deed._tag === "Join") {
        const written = yield* outages.join(component, deed.status, instant(pushState.since))
        return { incidentId: written.incidentId, written: Option.some(written) }
      }
      if (deed._tag === "Nothing" || open === null) return { incidentId: open, written: Option.none<Written>() }
      if (deed._tag === "Change") return { incidentId: open, written: yield* outages.change(component, open, deed.status) }
      const note = (what: string, since: DateTime.Utc) => en.recovered(what, durationText(secondsBetween(since, at)))
      return { incidentId: null, written: yield* outages.leave(component, open, at, note) }
    })

    /** Writes what becomes of the page's incident, in the caller's transaction, and drafts the events of all of it. */
    const tell = Effect.fn("ComponentAnnouncer.tell")(function*(row: ComponentWithState, shown: Shown) {
      const { incidentId, written } = yield* settleIncident(row, shown)
      const told = Option.isNone(written) ? [] : yield* draftsOf(row, written.value)
      const news: ComponentAnnouncement = { incidentId, drafts: [...statusChanged(row, shown), ...told] }
      return news
    })

    return { tell }
  }),
  dependencies: [Incidents.Default, PageOutages.Default]
}) {}
