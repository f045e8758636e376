/** Writes incidents that people open and change, and maintenance windows, with everything that follows from a change. */
import { Effect, Option } from "effect"
import type { EventDraft } from "../../schema/event/EventData.ts"
import type { ComponentId, IncidentId, WorkspaceId } from "../../schema/Ids.ts"
import type { IncidentUpdate, SetComponent } from "../../schema/incident/Incident.ts"
import { incidentEvent } from "../../src/domain/incident/IncidentEvents.ts"
import { eventTypeOf, type ProgressEvent } from "../../src/domain/incident/IncidentMachine.ts"
import { nextAlarm } from "../../src/domain/incident/MaintenanceClock.ts"
import { timesAfter } from "../../src/domain/incident/ManualIncident.ts"
import { Links } from "../../src/links/Links.ts"
import { Alarms } from "../../src/store/Alarms.ts"
import { ComponentWakeups } from "../../src/store/component/ComponentWakeups.ts"
import { IncidentComponents } from "../../src/store/incident/IncidentComponents.ts"
import type { LockedIncident } from "../../src/store/incident/IncidentRows.ts"
import { type IncidentDraft, Incidents, type UpdateDraft } from "../../src/store/incident/Incidents.ts"

/** A change, and the update that reports it. */
export interface IncidentStep extends UpdateDraft {
  readonly components: ReadonlyArray<SetComponent>
}

const idsOf = (components: ReadonlyArray<SetComponent>) => components.map(({ componentId }) => componentId)

/**
 * Every method runs in the caller's transaction, which appends the returned events last.
 *
 * The order of locks is: the incident of a monitor, the alarms of components, pages, any other incident, the workspace. The
 * actors of monitors and components lock in this order, so that no two transactions wait for each other.
 */
export class IncidentWriter extends Effect.Service<IncidentWriter>()("belltower/IncidentWriter", {
  effect: Effect.gen(function*() {
    const incidents = yield* Incidents
    const pages = yield* IncidentComponents
    const components = yield* ComponentWakeups
    const alarms = yield* Alarms
    const links = yield* Links

    /**
     * Locks an incident for a change; none if it does not exist. `listed` are the components that the change adds; null for a
     * change that affects no component. All affected components are woken when the transaction commits.
     */
    const begin = Effect.fn("IncidentWriter.begin")(
      function*(workspaceId: WorkspaceId, id: IncidentId, listed: ReadonlyArray<ComponentId> | null) {
        if (listed === null) return yield* incidents.lock(workspaceId, id)
        const seen = yield* incidents.peek(workspaceId, id)
        if (Option.isNone(seen)) return seen
        const locksFirst = seen.value.monitorId !== null
        const before = locksFirst ? yield* incidents.lock(workspaceId, id) : seen
        if (Option.isNone(before)) return before
        yield* components.wake(workspaceId, [...new Set([...idsOf(before.value.components), ...listed])])
        return locksFirst ? before : yield* incidents.lock(workspaceId, id)
      }
    )

    const announced = Effect.fnUntraced(function*(
      workspaceId: WorkspaceId,
      id: IncidentId,
      type: ProgressEvent,
      update: IncidentUpdate
    ) {
      const incident = yield* incidents.find(workspaceId, id, links.incident)
      return Option.match(incident, {
        onNone: (): ReadonlyArray<EventDraft> => [],
        onSome: (found) => [incidentEvent(type, found, update)]
      })
    })

    const followUp = Effect.fnUntraced(function*(workspaceId: WorkspaceId, after: Omit<LockedIncident, "acknowledgement">) {
      if (after.kind === "maintenance") yield* alarms.arm("incident", workspaceId, after.id, nextAlarm(after))
      if (after.public) yield* pages.tellPages(workspaceId, after.pageIds)
    })

    /** Inserts an incident or a maintenance window with its first update. */
    const open = Effect.fn("IncidentWriter.open")(
      function*(workspaceId: WorkspaceId, draft: IncidentDraft, first: Omit<UpdateDraft, "status">) {
        if (draft.public) yield* components.wake(workspaceId, idsOf(draft.components))
        const id = yield* incidents.insert(workspaceId, draft)
        const update = yield* incidents.addUpdate(workspaceId, id, { ...first, status: draft.status })
        yield* followUp(workspaceId, { ...draft, id, resolvedAt: null })
        return { id, drafts: yield* announced(workspaceId, id, eventTypeOf(draft.kind, null, draft.status), update) }
      }
    )

    /** Whether a step is more than an internal note. */
    const isSeen = (locked: LockedIncident, step: IncidentStep) =>
      step.public || step.status !== locked.status || step.components !== locked.components

    /** Applies a step to an incident that `begin` has locked. An internal note that changes nothing has no event. */
    const apply = Effect.fn("IncidentWriter.apply")(
      function*(workspaceId: WorkspaceId, locked: LockedIncident, step: IncidentStep) {
        const { id } = locked
        const times = timesAfter({ ...locked, from: locked.status }, step.status, step.at)
        const after: LockedIncident = { ...locked, ...times, status: step.status, components: step.components }
        yield* incidents.save(workspaceId, id, after)
        const update = yield* incidents.addUpdate(workspaceId, id, step)
        yield* followUp(workspaceId, after)
        const type = eventTypeOf(locked.kind, locked.status, step.status)
        const drafts = isSeen(locked, step) ? yield* announced(workspaceId, id, type, update) : []
        return { after, drafts, update }
      }
    )

    return { begin, open, apply }
  }),
  dependencies: [Incidents.Default, IncidentComponents.Default, ComponentWakeups.Default]
}) {}
