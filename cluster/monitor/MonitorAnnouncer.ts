/** Announces a monitor's transitions: opens and ends its incident, and drafts the events of both. */
import { DateTime, Effect } from "effect"
import type { EventDraft } from "../../schema/event/EventData.ts"
import type { IncidentId } from "../../schema/Ids.ts"
import type { AbandonReason } from "../../src/domain/incident/AutomaticIncident.ts"
import { monitorEvents, type MonitorOutageChange, monitorOutageChange } from "../../src/domain/incident/MonitorOutage.ts"
import type { Transition } from "../../src/domain/monitor/MonitorMachine.ts"
import { Links } from "../../src/links/Links.ts"
import type { MonitorRow } from "../../src/store/monitor/Monitors.ts"
import { AutomaticIncidents, type IncidentOutcome } from "../incident/AutomaticIncidents.ts"

export class MonitorAnnouncer extends Effect.Service<MonitorAnnouncer>()("belltower/MonitorAnnouncer", {
  effect: Effect.gen(function*() {
    const incidents = yield* AutomaticIncidents
    const links = yield* Links

    const changeIncident = Effect.fnUntraced(
      function*(row: MonitorRow, current: IncidentId | null, change: MonitorOutageChange, at: number) {
        if (change._tag === "Open") return yield* incidents.openForMonitor(row, DateTime.unsafeMake(at))
        if (change._tag === "Nothing" || current === null) return { incidentId: current, drafts: [] }
        return {
          incidentId: null,
          drafts: yield* incidents.endForMonitor(row, current, DateTime.unsafeMake(at), change.reason)
        }
      }
    )

    /** Resolves the incident of a monitor that nobody observes any more, in the caller's transaction; `at` in ms. */
    const abandon = (row: MonitorRow, incidentId: IncidentId, at: number, why: AbandonReason) =>
      incidents.endForMonitor(row, incidentId, DateTime.unsafeMake(at), why)

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
      const monitor = { ...row, url: links.monitor(row.id) }
      const drafts: Array<EventDraft> = []
      let incidentId = openIncident
      let before = since
      for (const transition of transitions) {
        const change = monitorOutageChange(transition, incidentId !== null)
        const outcome: IncidentOutcome = yield* changeIncident(row, incidentId, change, transition.at)
        const about = outcome.incidentId ?? incidentId
        const incident = about === null ? null : { id: about, url: links.incident(about) }
        drafts.push(...monitorEvents(monitor, transition, before, incident), ...outcome.drafts)
        incidentId = outcome.incidentId
        before = transition.at
      }
      const announcement: IncidentOutcome = { incidentId, drafts }
      return announcement
    })

    return { tell, abandon }
  }),
  dependencies: [AutomaticIncidents.Default]
}) {}
