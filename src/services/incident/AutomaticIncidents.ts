/** Opens, changes and resolves automatic incidents of pages: loads the rows, decides, and writes in the caller's transaction. */
import { DateTime, Effect, Option } from "effect"
import type { EventDraft } from "../../../schema/event/EventData.ts"
import type { ComponentId, IncidentId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import type { IncidentUpdate } from "../../../schema/incident/Incident.ts"
import { type AbandonReason, type IncidentChange, type OpenIncident } from "../../domain/incident/AutomaticIncident.ts"
import {
  changeIncident,
  type Failing,
  joinIncident,
  leaveIncident,
  type NamedComponents,
  type OutageChange,
  removeComponents,
  type ReportingComponent
} from "../../domain/incident/ComponentOutage.ts"
import { eventTypeOf, incidentEvent, type ProgressEvent } from "../../domain/incident/IncidentMachine.ts"
import { Links } from "../../links/Links.ts"
import { IncidentComponents } from "../../store/incident/IncidentComponents.ts"
import { Incidents, noWindow } from "../../store/incident/Incidents.ts"
import { IncidentAlerts } from "./IncidentAlerts.ts"

interface ComponentOfIncident extends ReportingComponent {
  readonly workspaceId: WorkspaceId
  readonly pageId: PageId
  /** False if its monitors have incidents of their own: people are paged about those. */
  readonly reportsItself: boolean
}

interface OutageTimes {
  /** When the component began to fail as it does now, ms. */
  readonly since: number
  /** When the change was noticed. */
  readonly at: DateTime.Utc
}

/** The incident that a component or a monitor belongs to after its changes, and the events of these. */
export interface IncidentOutcome {
  readonly incidentId: IncidentId | null
  readonly drafts: ReadonlyArray<EventDraft>
}

/** The initial fields of every automatic incident of a page. */
const opened = { kind: "incident", automatic: true, ...noWindow } as const

export class AutomaticIncidents extends Effect.Service<AutomaticIncidents>()("belltower/AutomaticIncidents", {
  effect: Effect.gen(function*() {
    const incidents = yield* Incidents
    const components = yield* IncidentComponents
    const links = yield* Links
    const alerts = yield* IncidentAlerts

    /** Adds the update of a change that was written, and returns the event of both. */
    const announce = Effect.fnUntraced(function*(
      workspaceId: WorkspaceId,
      incidentId: IncidentId,
      type: ProgressEvent,
      draft: Pick<IncidentUpdate, "status" | "body" | "public">
    ) {
      const at = yield* DateTime.now
      const update = yield* incidents.addUpdate(workspaceId, incidentId, {
        ...draft,
        at,
        ai: false,
        byPerson: false,
        notify: true
      })
      const after = yield* incidents.find(workspaceId, incidentId, links.incident)
      return { incidentId, drafts: Option.isNone(after) ? [] : [incidentEvent(type, after.value, update, false)] }
    })

    const commit = Effect.fnUntraced(function*(workspaceId: WorkspaceId, change: IncidentChange) {
      if (change._tag === "Open") {
        const { body, public: isPublic, status } = change.incident
        const id = yield* incidents.insert(workspaceId, { ...change.incident, ...opened })
        return yield* announce(workspaceId, id, "incident.created", { status, body, public: isPublic })
      }
      const { body, of } = change
      const isEnd = change._tag === "Resolve"
      const status = isEnd ? "resolved" : of.status
      yield* incidents.save(workspaceId, of.id, {
        startedAt: of.startedAt,
        status,
        impact: isEnd ? of.impact : change.impact,
        components: isEnd ? of.components : change.components,
        resolvedAt: isEnd ? change.at : null
      })
      const type = eventTypeOf("incident", of.status, status)
      return yield* announce(workspaceId, of.id, type, { status, body, public: of.public })
    })

    const join = Effect.fnUntraced(function*(component: ComponentOfIncident, status: Failing, since: number) {
      const { pageId, workspaceId } = component
      yield* components.lockPage(workspaceId, pageId)
      const open = yield* incidents.lockOpenOfPage(workspaceId, pageId)
      const outcome = yield* commit(workspaceId, joinIncident(component, status, since, Option.getOrNull(open)))
      if (component.reportsItself) {
        const scope = Option.getOrElse(open, () => ({ pageIds: [pageId], startedAt: DateTime.unsafeMake(since) }))
        yield* alerts.beginUnlessBegun({ ...scope, workspaceId, id: outcome.incidentId, monitorId: null, marks: [] })
      }
      return outcome
    })

    /** Without effect when a person has resolved the incident already. */
    const changeIn = Effect.fnUntraced(function*(
      component: ComponentOfIncident,
      incidentId: IncidentId,
      decide: (open: OpenIncident, affected: NamedComponents) => IncidentChange
    ) {
      const { pageId, workspaceId } = component
      yield* components.lockPage(workspaceId, pageId)
      const open = yield* incidents.lockOpen(workspaceId, incidentId)
      if (Option.isNone(open)) return []
      const { drafts } = yield* commit(workspaceId, decide(open.value, yield* components.affected(workspaceId, incidentId)))
      return drafts
    })

    /** Has a component, which is in the incident `current`, open or join its page's incident, change in it, or leave it. */
    const changeForComponent = Effect.fn("AutomaticIncidents.changeForComponent")(
      function*(component: ComponentOfIncident, current: IncidentId | null, change: OutageChange, times: OutageTimes) {
        const unchanged: IncidentOutcome = { incidentId: current, drafts: [] }
        if (change._tag === "Join") return yield* join(component, change.status, times.since)
        if (change._tag === "Nothing" || current === null) return unchanged
        if (change._tag === "Change") {
          const drafts = yield* changeIn(component, current, (open) => changeIncident(component, change.status, open))
          return { ...unchanged, drafts }
        }
        const { reason } = change
        const leave = (open: OpenIncident, affected: NamedComponents) =>
          leaveIncident(component, reason, open, times.at, affected)
        return { incidentId: null, drafts: yield* changeIn(component, current, leave) }
      }
    )

    /** Takes components that are about to be deleted out of their page's open incident, which ends when none is left in it. */
    const removeFromPage = Effect.fn("AutomaticIncidents.removeFromPage")(
      function*(workspaceId: WorkspaceId, pageId: PageId, removed: ReadonlySet<ComponentId>, reason: AbandonReason) {
        yield* components.lockPage(workspaceId, pageId)
        const open = yield* incidents.lockOpenOfPage(workspaceId, pageId)
        if (Option.isNone(open)) return []
        const affected = yield* components.affected(workspaceId, open.value.id)
        const change = removeComponents(removed, open.value, yield* DateTime.now, reason, affected)
        if (change._tag === "Nothing") return []
        if (change._tag === "End") return (yield* commit(workspaceId, change.change)).drafts
        const { impact, startedAt, status } = open.value
        yield* incidents.save(workspaceId, open.value.id, {
          components: change.components,
          impact,
          startedAt,
          status,
          resolvedAt: null
        })
        return []
      }
    )

    return { changeForComponent, removeFromPage }
  }),
  dependencies: [Incidents.Default, IncidentComponents.Default, IncidentAlerts.Default]
}) {}
