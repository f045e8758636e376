/** An incident or maintenance window of Statuspage with its updates. */
import { DateTime, Order } from "effect"
import type { ComponentStatus } from "../../../../schema/component/Component.ts"
import type { Impact, ProgressStatus } from "../../../../schema/incident/Incident.ts"
import { worse } from "../../component/ComponentStatus.ts"
import { cut, makeNotes, type Notes } from "../Carry.ts"
import type { FoundIncident, FoundUpdate } from "../Inventory.ts"
import { type Loose, recordsOf, textAt, timeAt } from "../Loose.ts"
import { statusOf } from "./StatuspageComponents.ts"

const incidentStatuses: Readonly<Record<string, ProgressStatus>> = {
  investigating: "investigating",
  identified: "identified",
  monitoring: "monitoring",
  resolved: "resolved",
  postmortem: "resolved"
}

const maintenanceStatuses: Readonly<Record<string, ProgressStatus>> = {
  scheduled: "scheduled",
  in_progress: "in_progress",
  verifying: "in_progress",
  completed: "completed"
}

const impacts: Readonly<Record<string, Impact>> = {
  none: "none",
  minor: "minor",
  major: "major",
  critical: "critical",
  maintenance: "none"
}

const isMaintenance = (incident: Loose): boolean =>
  textAt(incident, "scheduled_for") !== null || (textAt(incident, "status") ?? "") in maintenanceStatuses

const progress = (incident: Loose, word: string | null): ProgressStatus => {
  const maintenance = isMaintenance(incident)
  const table = maintenance ? maintenanceStatuses : incidentStatuses
  return table[word ?? ""] ?? (maintenance ? "scheduled" : "investigating")
}

const updatesOf = (notes: Notes, incident: Loose, fallback: DateTime.Utc): ReadonlyArray<FoundUpdate> =>
  recordsOf(incident["incident_updates"]).flatMap((update) => {
    const body = textAt(update, "body")
    if (body === null) return []
    return [{
      status: progress(incident, textAt(update, "status")),
      body: cut(notes, "An update", body, 10_000),
      at: timeAt(update, "display_at", "created_at") ?? fallback
    }]
  }).sort(Order.mapInput(DateTime.Order, ({ at }) => at))

/** The worst moment of each component over all updates; where no update says one, its status now. */
const componentsOf = (incident: Loose): FoundIncident["components"] => {
  const worst = new Map<string, ComponentStatus>()
  const note = (id: string | null, status: ComponentStatus | null): void => {
    if (id === null || status === null) return
    worst.set(id, worse(worst.get(id) ?? status, status))
  }
  for (const component of recordsOf(incident["components"])) note(textAt(component, "id"), statusOf(textAt(component, "status")))
  for (const update of recordsOf(incident["incident_updates"])) {
    for (const affected of recordsOf(update["affected_components"])) {
      note(textAt(affected, "code"), statusOf(textAt(affected, "new_status")))
    }
  }
  return [...worst].map(([id, status]) => ({ ref: `component:${id}`, status })).slice(0, 200)
}

/** Null for an entry without an id or a time. */
export const statuspageIncident = (incident: Loose, pageRef: string): FoundIncident | null => {
  const id = textAt(incident, "id")
  const scheduledStart = timeAt(incident, "scheduled_for")
  const startedAt = timeAt(incident, "started_at") ?? scheduledStart ?? timeAt(incident, "created_at")
  if (id === null || startedAt === null) return null
  const notes = makeNotes()
  const maintenance = isMaintenance(incident)
  const name = textAt(incident, "name") ?? "Untitled"
  const status = progress(incident, textAt(incident, "status"))
  const ended = status === "resolved" || status === "completed"
  const updates = updatesOf(notes, incident, startedAt)
  if (textAt(incident, "postmortem_body") !== null) notes.say("Its postmortem is not carried")
  return {
    ref: `${maintenance ? "maintenance" : "incident"}:${id}`,
    kind: maintenance ? "maintenance" : "incident",
    name: cut(notes, "The title", name, 200),
    notes: notes.all,
    pageRefs: [pageRef],
    status,
    impact: impacts[textAt(incident, "impact_override", "impact") ?? ""] ?? "minor",
    startedAt,
    resolvedAt: ended ? timeAt(incident, "resolved_at") ?? updates.at(-1)?.at ?? startedAt : null,
    scheduledStart: maintenance ? scheduledStart ?? startedAt : null,
    scheduledEnd: maintenance ? timeAt(incident, "scheduled_until") ?? scheduledStart ?? startedAt : null,
    series: null,
    components: componentsOf(incident),
    updates
  }
}
