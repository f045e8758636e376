/** Writes incidents that people open and change, and maintenance windows, with everything that follows from a change. */
import { type DateTime, Effect, Option } from "effect"
import type { EventDraft } from "../../../schema/event/EventData.ts"
import type { ComponentId, IncidentId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import type { IncidentUpdate, SetComponent } from "../../../schema/incident/Incident.ts"
import { eventTypeOf, incidentEvent, isOver, type ProgressEvent } from "../../domain/incident/IncidentMachine.ts"
import { nextAlarm, nextWindow, noReminders, type Reminders } from "../../domain/incident/MaintenanceClock.ts"
import { type Headline, type Reach, timesAfter } from "../../domain/incident/ManualIncident.ts"
import { Links } from "../../links/Links.ts"
import { Alarms } from "../../store/Alarms.ts"
import { ComponentWakeups } from "../../store/component/ComponentWakeups.ts"
import { IncidentComponents } from "../../store/incident/IncidentComponents.ts"
import type { LockedIncident } from "../../store/incident/IncidentRows.ts"
import { type IncidentDraft, Incidents, type UpdateDraft } from "../../store/incident/Incidents.ts"
import { type MaintenancePlan, MaintenancePlans } from "../../store/incident/MaintenancePlans.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { IncidentAlerts } from "./IncidentAlerts.ts"

/** A change, and the update that reports it. */
export interface IncidentStep extends UpdateDraft {
  /** Whether a person makes it. The service may have written its text nevertheless. */
  readonly manual: boolean
  readonly components: ReadonlyArray<SetComponent>
  /** Where the incident is shown from now on, if that changes. */
  readonly reach?: Reach
  /** The title and the impact from now on, if these change. */
  readonly headline?: Headline
}

export type FirstUpdate = Omit<IncidentStep, "status" | "components" | "headline">

/** A window begins with all that its series covers, also what the one before has handed back. */
const inNextWindow = (
  components: ReadonlyArray<SetComponent>,
  wholePageIds: ReadonlyArray<PageId>
): ReadonlyArray<SetComponent> =>
  wholePageIds.length > 0
    ? []
    : components.map((one) => one.status === "operational" ? { ...one, status: "maintenance" } : one)

type Updates = readonly [UpdateDraft, ...ReadonlyArray<UpdateDraft>]

type NewPlan = Omit<MaintenancePlan, "remindedAt">

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
    const alerts = yield* IncidentAlerts
    const plans = yield* MaintenancePlans
    const clock = yield* DatabaseClock

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
        const affected = [...new Set([...idsOf(before.value.components), ...listed])]
        yield* components.wake(workspaceId, affected, before.value.wholePageIds)
        return locksFirst ? before : yield* incidents.lock(workspaceId, id)
      }
    )

    const announced = Effect.fnUntraced(function*(
      workspaceId: WorkspaceId,
      id: IncidentId,
      type: ProgressEvent,
      update: IncidentUpdate,
      manual: boolean
    ) {
      const incident = yield* incidents.find(workspaceId, id, links.incident)
      return Option.match(incident, {
        onNone: (): ReadonlyArray<EventDraft> => [],
        onSome: (found) => [incidentEvent(type, found, update, manual)]
      })
    })

    const followUp = Effect.fnUntraced(function*(
      workspaceId: WorkspaceId,
      after: Omit<LockedIncident, "acknowledgement">,
      reminders: Reminders
    ) {
      if (after.kind === "maintenance") yield* alarms.arm("incident", workspaceId, after.id, nextAlarm(after, reminders))
      if (after.public) yield* pages.notifyPages(workspaceId, after.pageIds)
    })

    /** The updates come in order; the first one is returned. */
    const insert = Effect.fnUntraced(function*(
      workspaceId: WorkspaceId,
      draft: IncidentDraft,
      [first, ...later]: Updates,
      plan: NewPlan | null
    ) {
      if (draft.public) yield* components.wake(workspaceId, idsOf(draft.components), draft.wholePageIds)
      const id = yield* incidents.insert(workspaceId, draft)
      const update = yield* incidents.addUpdate(workspaceId, id, first)
      for (const one of later) yield* incidents.addUpdate(workspaceId, id, one)
      if (plan !== null) yield* plans.insert(workspaceId, id, plan)
      yield* followUp(workspaceId, { ...draft, id, resolvedAt: null }, { ...noReminders, ...plan })
      return { id, update }
    })

    /** Inserts an incident or a maintenance window with its first update. */
    const open = Effect.fn("IncidentWriter.open")(
      function*(workspaceId: WorkspaceId, draft: IncidentDraft, first: FirstUpdate, plan: NewPlan | null = null) {
        const { id, update } = yield* insert(workspaceId, draft, [{ ...first, status: draft.status }], plan)
        if (draft.kind === "incident") yield* alerts.begin({ ...draft, workspaceId, id, marks: [] })
        return {
          id,
          drafts: yield* announced(workspaceId, id, eventTypeOf(draft.kind, null, draft.status), update, first.manual)
        }
      }
    )

    /**
     * Inserts one that began elsewhere and goes on, with its updates in order. It has no event, pages nobody and reminds nobody: its
     * people know of it. Later changes are announced like any other.
     */
    const carry = Effect.fn("IncidentWriter.carry")(
      function*(workspaceId: WorkspaceId, draft: IncidentDraft, updates: Updates, plan: NewPlan | null) {
        return (yield* insert(workspaceId, draft, updates, plan)).id
      }
    )

    /** Schedules the next window of a series after one ended. Its subscribers are reminded of it, but not notified now. */
    const goOn = Effect.fn("IncidentWriter.goOn")(
      function*(workspaceId: WorkspaceId, ended: LockedIncident, plan: MaintenancePlan, now: DateTime.Utc) {
        const { components, impact, notify, pageIds, scheduledEnd, scheduledStart, title, wholePageIds } = ended
        const { firstStart, rule, timezone } = plan
        if (rule === null || timezone === null || scheduledStart === null || scheduledEnd === null) return []
        const next = nextWindow({ rule, timezone, firstStart, scheduledStart, scheduledEnd }, now)
        if (Option.isNone(next)) return []
        const draft: IncidentDraft = {
          kind: "maintenance",
          automatic: false,
          monitorId: null,
          public: ended.public,
          title,
          status: "scheduled",
          impact,
          components: inNextWindow(components, wholePageIds),
          pageIds,
          startedAt: next.value.scheduledStart,
          wholePageIds,
          notify,
          ...next.value
        }
        const first = { body: plan.message, ai: false, at: now, public: true, byPerson: true, manual: false, notify: false }
        return (yield* open(workspaceId, draft, first, plan)).drafts
      }
    )

    /** Whether a step is more than an internal note. */
    const isSeen = (locked: LockedIncident, step: IncidentStep, after: LockedIncident) =>
      step.public || step.status !== locked.status || step.components !== locked.components || after.title !== locked.title ||
      after.impact !== locked.impact

    /** Applies a step to an incident that `begin` has locked. An internal note that changes nothing has no event. */
    const apply = Effect.fn("IncidentWriter.apply")(
      function*(workspaceId: WorkspaceId, locked: LockedIncident, step: IncidentStep) {
        const { id } = locked
        const times = timesAfter({ ...locked, from: locked.status }, step.status, step.at)
        const { components, headline: { impact, title } = locked, reach = locked, status } = step
        const { pageIds, public: isPublic } = reach
        const after: LockedIncident = { ...locked, ...times, status, components, title, impact, pageIds, public: isPublic }
        yield* incidents.save(workspaceId, id, after)
        if (isPublic && reach !== locked) yield* incidents.showOn(workspaceId, locked, pageIds)
        const further = pageIds.filter((pageId) => !locked.pageIds.includes(pageId))
        if (locked.kind === "incident" && further.length > 0 && !isOver(status)) {
          yield* alerts.gainedPages(workspaceId, locked, further)
        }
        const update = yield* incidents.addUpdate(workspaceId, id, step)
        const plan = locked.kind === "maintenance" ? yield* plans.of(workspaceId, id) : Option.none<MaintenancePlan>()
        yield* followUp(workspaceId, after, Option.getOrElse(plan, () => noReminders))
        const type = eventTypeOf(locked.kind, locked.status, step.status)
        const drafts = isSeen(locked, step, after) ? yield* announced(workspaceId, id, type, update, step.manual) : []
        const isEnd = step.status === "completed" && locked.status !== "completed"
        const following = isEnd && Option.isSome(plan) ? yield* goOn(workspaceId, after, plan.value, yield* clock.now) : []
        return { after, drafts: [...drafts, ...following], update }
      }
    )

    return { begin, open, carry, apply }
  }),
  dependencies: [
    Incidents.Default,
    IncidentComponents.Default,
    ComponentWakeups.Default,
    IncidentAlerts.Default,
    MaintenancePlans.Default
  ]
}) {}
