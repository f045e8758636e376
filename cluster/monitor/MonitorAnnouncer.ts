/** What a monitor's transitions mean for others: its incident opens or resolves, and events tell of both. */
import { DateTime, Effect, Option } from "effect"
import type { EventDraft } from "../../schema/event/EventData.ts"
import type { IncidentId } from "../../schema/Ids.ts"
import { durationText } from "../../src/domain/Duration.ts"
import type { Transition } from "../../src/domain/monitor/MonitorMachine.ts"
import { eventCheck, eventMonitor } from "../../src/domain/monitor/MonitorView.ts"
import { en } from "../../src/domain/words/en.ts"
import { Links } from "../../src/links/Links.ts"
import { Incidents } from "../../src/store/incident/Incidents.ts"
import type { MonitorRow } from "../../src/store/monitor/Monitors.ts"

export interface MonitorAnnouncement {
  readonly incidentId: IncidentId | null
  readonly drafts: ReadonlyArray<EventDraft>
}

/** Seconds between two instants in ms, never negative. */
const secondsBetween = (from: number, to: number): number => Math.max(0, Math.round((to - from) / 1000))

export class MonitorAnnouncer extends Effect.Service<MonitorAnnouncer>()("belltower/MonitorAnnouncer", {
  effect: Effect.gen(function*() {
    const incidents = yield* Incidents
    const links = yield* Links

    const opened = Effect.fnUntraced(function*(row: MonitorRow, transition: Transition) {
      const { id, update } = yield* incidents.open(row.workspaceId, {
        monitorId: row.id,
        monitorName: row.name,
        startedAt: DateTime.unsafeMake(transition.at)
      })
      const incident = yield* incidents.find(row.workspaceId, id, links.incident)
      const created: ReadonlyArray<EventDraft> = Option.isSome(incident)
        ? [{ type: "incident.created", data: { incident: incident.value, update } }]
        : []
      return { id, created }
    })

    const resolved = Effect.fnUntraced(function*(
      row: MonitorRow,
      incidentId: IncidentId,
      at: number,
      note: (what: string, lasted: string) => string
    ) {
      const before = yield* incidents.find(row.workspaceId, incidentId, links.incident)
      if (Option.isNone(before)) return []
      const seconds = secondsBetween(DateTime.toEpochMillis(before.value.startedAt), at)
      const update = yield* incidents.resolve(
        row.workspaceId,
        incidentId,
        DateTime.unsafeMake(at),
        row.name,
        (what) => note(what, durationText(seconds))
      )
      const after = yield* incidents.find(row.workspaceId, incidentId, links.incident)
      if (Option.isNone(update) || Option.isNone(after)) return []
      const drafts: ReadonlyArray<EventDraft> = [{
        type: "incident.resolved",
        data: {
          incident: after.value,
          update: update.value,
          durationMinutes: Math.round(seconds / 60),
          durationText: durationText(seconds)
        }
      }]
      return drafts
    })

    /** Resolves the incident of a monitor that is paused or deleted: nobody watches any more. */
    const abandon = (row: MonitorRow, incidentId: IncidentId, at: number, why: string) =>
      resolved(row, incidentId, at, (what, lasted) => `${what}: ${why} after ${lasted}.`)

    /**
     * Writes the incidents of a row's transitions and drafts their events, in the caller's transaction. `since` is when the
     * state before the first transition began, ms.
     */
    const tell = Effect.fn("MonitorAnnouncer.tell")(function*(
      row: MonitorRow,
      openIncident: IncidentId | null,
      since: number,
      transitions: ReadonlyArray<Transition>
    ) {
      const drafts: Array<EventDraft> = []
      let incidentId = openIncident
      let before = since
      for (const transition of transitions) {
        const monitor = eventMonitor(row, transition.to, links.monitor(row.id))
        const check = transition.check === null ? null : eventCheck(transition.check)
        if (transition.to === "down" && check !== null) {
          const { created, id } = yield* opened(row, transition)
          incidentId = id
          const incident = { id, title: `${row.name} is down`, url: links.incident(id) }
          drafts.push({ type: "monitor.down", data: { monitor, check, incident, ai: null } }, ...created)
        }
        if (transition.to === "up" && check !== null && (transition.from === "down" || transition.from === "degraded")) {
          const closed = incidentId === null
            ? []
            : yield* resolved(row, incidentId, transition.at, en.recovered)
          const incident = incidentId === null ? null : { id: incidentId, url: links.incident(incidentId), resolved: true }
          const downtimeSeconds = transition.from === "down" ? secondsBetween(before, transition.at) : 0
          drafts.push({ type: "monitor.up", data: { monitor, check, downtimeSeconds, incident, ai: null } }, ...closed)
          incidentId = null
        }
        if (transition.to === "degraded" && check !== null) {
          drafts.push({ type: "monitor.degraded", data: { monitor, check } })
        }
        if (transition.to === "paused" && incidentId !== null) {
          drafts.push(...(yield* abandon(row, incidentId, transition.at, "monitoring was paused")))
          incidentId = null
        }
        before = transition.at
      }
      const news: MonitorAnnouncement = { incidentId, drafts }
      return news
    })

    return { tell, abandon }
  }),
  dependencies: [Incidents.Default]
}) {}
