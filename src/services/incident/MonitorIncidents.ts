/** Opens and ends the automatic incidents of monitors, many at a time, in the caller's transaction. */
import { Array as Arr, DateTime, Effect } from "effect"
import type { EventDraft } from "../../../schema/event/EventData.ts"
import { instant } from "../../../schema/Fields.ts"
import { IncidentId, type MonitorId, type PageId, UpdateId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { Incident, IncidentUpdate } from "../../../schema/incident/Incident.ts"
import type { Observation } from "../../../schema/monitor/Machine.ts"
import type { LikelyUpstream } from "../../../schema/upstream/Upstream.ts"
import { type EndReason, resolution } from "../../domain/incident/AutomaticIncident.ts"
import { namesOf } from "../../domain/incident/ComponentOutage.ts"
import { incidentEvent } from "../../domain/incident/IncidentMachine.ts"
import { monitorIncident, type ShowingComponent } from "../../domain/incident/MonitorOutage.ts"
import { idTime } from "../../domain/tools/Id.ts"
import { earliest } from "../../domain/tools/time/Earliest.ts"
import { Links } from "../../links/Links.ts"
import { IncidentComponents } from "../../store/incident/IncidentComponents.ts"
import type { LockedIncident } from "../../store/incident/IncidentRows.ts"
import { type Opening, OutageRows } from "../../store/incident/OutageRows.ts"
import { OutagesInMaintenance } from "../../store/incident/OutagesInMaintenance.ts"
import { mint } from "../../store/Mint.ts"
import { ExplainIncidents } from "../upstream/ExplainIncidents.ts"
import { IncidentAlerts } from "./IncidentAlerts.ts"

export interface MonitorOfIncident {
  readonly workspaceId: WorkspaceId
  readonly id: MonitorId
  readonly name: string
  readonly reminderMinutes: ReadonlyArray<number>
}

export interface Outage {
  readonly monitor: MonitorOfIncident
  readonly startedAt: DateTime.Utc
  readonly check: Observation | null
  /** The components that report it: immediately, or after their maintenance if it is still down then. */
  readonly reportedBy: ReadonlyArray<ReportingComponent>
  /** The pages that visitors see it on, also later or by another incident: their policies apply. */
  readonly pageIds: ReadonlyArray<PageId>
}

interface ReportingComponent extends ShowingComponent {
  readonly maintenanceUntil: DateTime.Utc | null
}

/** The end of a monitor's outage, whose incident the caller has locked while it was open. */
export interface OutageEnd {
  readonly monitor: MonitorOfIncident
  readonly open: LockedIncident
  readonly at: DateTime.Utc
  readonly reason: EndReason
}

export interface Opened {
  readonly incidentId: IncidentId
  readonly likelyUpstream: LikelyUpstream | null
  readonly drafts: ReadonlyArray<EventDraft>
}

/** An update of the service, as the incident's record shows it. */
const updateOf = ({ body, id, at }: Opening["update"], status: IncidentUpdate["status"], isPublic: boolean): IncidentUpdate => {
  const shown = { id, status, body, at, ai: false }
  return isPublic ? { ...shown, public: true } : { ...shown, public: false }
}

/** The record of an incident that has just opened, as it would be read. */
const recordOf = ({ id, incident, likelyUpstream, update }: Opening, url: string): Incident => {
  const { body: _, ...opened } = incident
  return {
    ...opened,
    id,
    kind: "incident",
    automatic: true,
    resolvedAt: null,
    scheduledStart: null,
    scheduledEnd: null,
    aiSummary: null,
    acknowledgement: null,
    likelyUpstream,
    updatedAt: update.at,
    createdAt: instant(idTime(id) ?? DateTime.toEpochMillis(incident.startedAt)),
    url,
    updates: [updateOf(update, incident.status, incident.public)],
    aiReports: []
  }
}

export class MonitorIncidents extends Effect.Service<MonitorIncidents>()("belltower/MonitorIncidents", {
  effect: Effect.gen(function*() {
    const rows = yield* OutageRows
    const components = yield* IncidentComponents
    const links = yield* Links
    const alerts = yield* IncidentAlerts
    const explain = yield* ExplainIncidents
    const inMaintenance = yield* OutagesInMaintenance

    const update = (body: string) => Effect.all({ id: mint("upd", UpdateId), body: Effect.succeed(body), at: DateTime.now })

    const prepare = Effect.fnUntraced(
      function*({ check, monitor, reportedBy, startedAt }: Outage, likelyUpstream: LikelyUpstream | null) {
        const shownBy = reportedBy.filter(({ maintenanceUntil }) => maintenanceUntil === null)
        const incident = monitorIncident(monitor, startedAt, check, shownBy)
        const opening: Opening = {
          workspaceId: monitor.workspaceId,
          id: yield* mint("inc", IncidentId),
          incident: { ...incident, monitorId: monitor.id },
          likelyUpstream,
          update: yield* update(incident.body)
        }
        return opening
      }
    )

    /** Keeps what components in maintenance do not show. */
    const hide = Effect.fnUntraced(function*({ id, workspaceId }: Opening, { reportedBy }: Outage) {
      const hidden = reportedBy.filter(({ maintenanceUntil }) => maintenanceUntil !== null)
      const showAt = earliest(hidden.map(({ maintenanceUntil }) => maintenanceUntil))
      if (showAt === null) return
      yield* inMaintenance.hide({ workspaceId, id, componentIds: hidden.map(({ componentId }) => componentId), showAt })
    })

    /** Opens the incidents of outages, and begins their alerting; returns what each opened, in order. */
    const open = Effect.fn("MonitorIncidents.open")(function*(outages: ReadonlyArray<Outage>) {
      if (outages.length === 0) return []
      const causes = yield* explain.likely(outages.map(({ monitor: { workspaceId }, startedAt }) => ({ workspaceId, startedAt })))
      const openings = yield* Effect.forEach(outages, (outage, index) => prepare(outage, causes[index] ?? null))
      yield* rows.insertAll(openings)
      yield* alerts.beginAll(
        Arr.zipWith(openings, outages, ({ id, incident, workspaceId }, { monitor: { reminderMinutes: marks }, pageIds }) => ({
          ...incident,
          id,
          workspaceId,
          pageIds,
          marks
        }))
      )
      yield* Effect.forEach(Arr.zip(openings, outages), ([opening, outage]) => hide(opening, outage), { discard: true })
      return openings.map((opening): Opened => {
        const record = recordOf(opening, links.incident(opening.id))
        const first = updateOf(opening.update, opening.incident.status, opening.incident.public)
        return {
          incidentId: opening.id,
          likelyUpstream: opening.likelyUpstream,
          drafts: [incidentEvent("incident.created", record, first, false)]
        }
      })
    })

    const conclude = Effect.fnUntraced(function*({ at, monitor, open, reason }: OutageEnd, affected: ReadonlyArray<string>) {
      const { at: resolvedAt, body } = resolution(open, at, reason, monitor.name, affected)
      return { workspaceId: monitor.workspaceId, id: open.id, public: open.public, resolvedAt, update: yield* update(body) }
    })

    /** Resolves the incidents of outages; returns the events of each, in order. */
    const end = Effect.fn("MonitorIncidents.end")(function*(ends: ReadonlyArray<OutageEnd>) {
      if (ends.length === 0) return []
      const shown = ends.flatMap(({ monitor: { workspaceId }, open }) => open.public ? [{ workspaceId, id: open.id }] : [])
      const affected = yield* components.affectedBy(shown)
      const endings = yield* Effect.forEach(
        ends,
        (one) => conclude(one, namesOf(affected.filter(({ incidentId }) => incidentId === one.open.id)))
      )
      yield* rows.resolveAll(endings)
      const records = yield* rows.find(endings, links.incident)
      return endings.map(({ id, public: isPublic, update }): ReadonlyArray<EventDraft> => {
        const record = records.get(id)
        return record === undefined
          ? []
          : [incidentEvent("incident.resolved", record, updateOf(update, "resolved", isPublic), false)]
      })
    })

    return { open, end, lockOpen: rows.lockOpen }
  }),
  dependencies: [
    OutageRows.Default,
    OutagesInMaintenance.Default,
    IncidentComponents.Default,
    IncidentAlerts.Default,
    ExplainIncidents.Default
  ]
}) {}
