/** Announces the transitions of monitors: opens and ends their incidents, wakes their dependents, and drafts the events. */
import { DateTime, Effect } from "effect"
import type { EventDraft } from "../../../schema/event/EventData.ts"
import type { ComponentId, IncidentId } from "../../../schema/Ids.ts"
import type { AbandonReason } from "../../domain/incident/AutomaticIncident.ts"
import { monitorEvents, type MonitorOutageChange, monitorOutageChange } from "../../domain/incident/MonitorOutage.ts"
import type { Transition } from "../../domain/monitor/JudgeRound.ts"
import { Links } from "../../links/Links.ts"
import { ComponentWakeups } from "../../store/component/ComponentWakeups.ts"
import type { LockedIncident } from "../../store/incident/IncidentRows.ts"
import { type Follower, Followers } from "../../store/monitor/Followers.ts"
import type { MonitorRow } from "../../store/monitor/Monitors.ts"
import { pagesSignal } from "../../store/page/Pages.ts"
import { Signals } from "../../store/postgres/Signals.ts"
import type { IncidentOutcome } from "../incident/AutomaticIncidents.ts"
import { MonitorIncidents, type Opened, type Outage, type OutageEnd } from "../incident/MonitorIncidents.ts"

/** The transitions of a monitor. */
export interface Announcement {
  readonly row: MonitorRow
  readonly openIncident: IncidentId | null
  /** When the state before the first transition began, ms. */
  readonly since: number
  readonly transitions: ReadonlyArray<Transition>
}

/** The state of announcing a monitor's transitions. */
interface Progress extends Announcement {
  incidentId: IncidentId | null
  before: number
  readonly drafts: Array<EventDraft>
}

/** A transition whose turn it is, and what it does to the monitor's incident. */
interface Turn {
  readonly one: Progress
  readonly transition: Transition
  readonly change: MonitorOutageChange
}

const turnsOf = (progress: ReadonlyArray<Progress>, turn: number): ReadonlyArray<Turn> =>
  progress.flatMap((one) => {
    const transition = one.transitions[turn]
    return transition === undefined ? [] : [{ one, transition, change: monitorOutageChange(transition, one.incidentId !== null) }]
  })

/** The components that follow monitors, and which of them are in an open incident of their page. */
interface Following {
  readonly followers: ReadonlyArray<Follower>
  readonly inPageIncidents: ReadonlySet<ComponentId>
}

/** A component that was degraded before reports the outage in its page's incident, so that visitors read of it only once. */
const outageOf = (
  { change, one: { row }, transition: { at, check } }: Turn,
  { followers, inPageIncidents }: Following
): ReadonlyArray<Outage> => {
  if (change._tag !== "Open") return []
  const reporting = followers.filter(({ monitorId, reports }) => reports && monitorId === row.id)
  return [{
    monitor: row,
    startedAt: DateTime.unsafeMake(at),
    check,
    reportedBy: reporting.filter(({ componentId }) => !inPageIncidents.has(componentId)),
    pageIds: [...new Set(reporting.map(({ pageId }) => pageId))]
  }]
}

const isOutage = ({ transitions }: Announcement): boolean => transitions.some(({ to }) => to === "down")

/** Nothing to end when a person has resolved the incident already. */
const endOf = ({ change, one: { incidentId, row }, transition: { at } }: Turn, open: ReadonlyMap<IncidentId, LockedIncident>) => {
  const locked = change._tag === "End" && incidentId !== null ? open.get(incidentId) : undefined
  if (change._tag !== "End" || locked === undefined) return []
  return [{ monitor: row, open: locked, at: DateTime.unsafeMake(at), reason: change.reason } satisfies OutageEnd]
}

export class MonitorAnnouncer extends Effect.Service<MonitorAnnouncer>()("belltower/MonitorAnnouncer", {
  effect: Effect.gen(function*() {
    const incidents = yield* MonitorIncidents
    const followers = yield* Followers
    const wakeups = yield* ComponentWakeups
    const signals = yield* Signals
    const links = yield* Links

    const lockOpen = Effect.fnUntraced(function*(keys: Parameters<typeof incidents.lockOpen>[0]) {
      const open = yield* incidents.lockOpen(keys)
      return new Map(open.map((one) => [one.id, one]))
    })

    /**
     * Wakes the actors of the components that follow the monitors or are in incidents that may end, and notifies the pages that
     * show the monitors, because not every change of state has an event. Locks the incidents first, as everybody who changes
     * the incident of a monitor. The alarms of the components stay locked: what a component does to the incident of its page, its actor
     * has done before, or does after this transaction.
     */
    const prepare = Effect.fnUntraced(function*(announcements: ReadonlyArray<Announcement>) {
      const following = yield* followers.find(
        announcements.map(({ row: { id, workspaceId }, transitions }) => ({
          workspaceId,
          monitorId: id,
          checkedAt: transitions.at(-1)?.check?.at ?? null
        }))
      )
      const workspaceOf = new Map(announcements.map(({ row }) => [row.id, row.workspaceId]))
      const open = yield* lockOpen(
        announcements.flatMap(({ openIncident, row: { workspaceId } }) =>
          openIncident === null ? [] : [{ workspaceId, id: openIncident }]
        )
      )
      yield* wakeups.wakeAll([
        ...following.flatMap(({ componentId, monitorId }) => {
          const workspaceId = workspaceOf.get(monitorId)
          return workspaceId === undefined ? [] : [{ workspaceId, id: componentId }]
        }),
        ...announcements.flatMap(({ openIncident, row: { workspaceId } }) =>
          (openIncident === null ? [] : open.get(openIncident)?.components ?? [])
            .map(({ componentId }) => ({ workspaceId, id: componentId }))
        )
      ])
      const slugs = new Set(following.flatMap(({ shows, slug }) => shows ? [slug] : []))
      yield* Effect.forEach(slugs, (slug) => signals.send(pagesSignal, slug), { discard: true })
      const down = new Set(announcements.filter(isOutage).map(({ row }) => row.id))
      const inPageIncidents = yield* followers.inPageIncidents(
        following.flatMap(({ componentId, monitorId, reports }) => {
          const workspaceId = workspaceOf.get(monitorId)
          return workspaceId === undefined || !reports || !down.has(monitorId) ? [] : [{ workspaceId, componentId }]
        })
      )
      return { following: { followers: following, inPageIncidents }, open }
    })

    /** Drafts the events of a turn, after its change of the incident was written. */
    const announceTurn = (
      { change, one, transition }: Turn,
      opened: Opened | undefined,
      ended: ReadonlyArray<EventDraft>
    ): void => {
      const about = opened?.incidentId ?? one.incidentId
      const incident = about === null ? null : { id: about, url: links.incident(about) }
      const monitor = { ...one.row, url: links.monitor(one.row.id) }
      one.drafts.push(
        ...monitorEvents(monitor, transition, one.before, incident, opened?.likelyUpstream ?? null),
        ...(opened?.drafts ?? []),
        ...ended
      )
      one.incidentId = change._tag === "End" ? null : about
      one.before = transition.at
    }

    /** Writes the incidents of the announcements' transitions and drafts their events, in the caller's transaction; in order. */
    const announceAll = Effect.fn("MonitorAnnouncer.announceAll")(function*(announcements: ReadonlyArray<Announcement>) {
      const progress = announcements.map((one): Progress => ({
        ...one,
        incidentId: one.openIncident,
        before: one.since,
        drafts: []
      }))
      const moving = progress.filter(({ transitions }) => transitions.length > 0)
      if (moving.length > 0) {
        const { following, open } = yield* prepare(moving)
        const most = Math.max(...moving.map(({ transitions }) => transitions.length))
        for (let index = 0; index < most; index++) {
          const turns = turnsOf(moving, index)
          // Incidents that an earlier turn opened are this transaction's own.
          const fresh = turns.flatMap(({ change, one: { incidentId, openIncident, row: { workspaceId } } }) =>
            change._tag === "End" && incidentId !== null && incidentId !== openIncident ? [{ workspaceId, id: incidentId }] : []
          )
          const known = new Map([...open, ...yield* lockOpen(fresh)])
          const opening = turns.map((turn) => outageOf(turn, following))
          const ending = turns.map((turn) => endOf(turn, known))
          const opened = (yield* incidents.open(opening.flat())).values()
          const ended = (yield* incidents.end(ending.flat())).values()
          turns.forEach((turn, index) =>
            announceTurn(
              turn,
              opening[index]?.length ? opened.next().value : undefined,
              ending[index]?.length ? ended.next().value ?? [] : []
            )
          )
        }
      }
      return progress.map(({ drafts, incidentId }): IncidentOutcome => ({ drafts, incidentId }))
    })

    /** Resolves the incident of a monitor that nobody observes any more, in the caller's transaction; `at` in ms. */
    const abandon = Effect.fn("MonitorAnnouncer.abandon")(
      function*(row: MonitorRow, incidentId: IncidentId, at: number, reason: AbandonReason) {
        const { open } = yield* prepare([{ row, openIncident: incidentId, since: at, transitions: [] }])
        const locked = open.get(incidentId)
        if (locked === undefined) return []
        return (yield* incidents.end([{ monitor: row, open: locked, at: DateTime.unsafeMake(at), reason }])).flat()
      }
    )

    return { announceAll, abandon }
  }),
  dependencies: [MonitorIncidents.Default, Followers.Default, ComponentWakeups.Default]
}) {}
