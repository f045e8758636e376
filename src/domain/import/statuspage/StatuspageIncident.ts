/** An incident or maintenance window of Statuspage with its updates. */
import { DateTime, Order } from "effect"
import type { ComponentStatus } from "../../../../schema/component/Component.ts"
import type { Impact, ProgressStatus } from "../../../../schema/incident/Incident.ts"
import { worse } from "../../component/ComponentStatus.ts"
import { cut, makeNotes, type Notes } from "../Carry.ts"
import type { FoundIncident, FoundUpdate } from "../Inventory.ts"
import { entryOf, idOf, type Loose, recordsOf, textAt, timeAt } from "../Loose.ts"
import { sayUnread } from "../Unread.ts"
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
  textAt(incident, "scheduled_for") !== null || entryOf(maintenanceStatuses, textAt(incident, "status") ?? "") !== undefined

/** A word that is not known is the beginning, or of what has ended the end. */
const progress = (notes: Notes, incident: Loose, word: string | null): ProgressStatus => {
  const maintenance = isMaintenance(incident)
  const known = entryOf(maintenance ? maintenanceStatuses : incidentStatuses, word ?? "")
  if (known !== undefined) return known
  const [first, last] = maintenance ? ["scheduled", "completed"] as const : ["investigating", "resolved"] as const
  const status = timeAt(incident, "resolved_at") === null ? first : last
  notes.say(`Its status "${word ?? ""}" is not known, and becomes ${status}`)
  return status
}

const updatesOf = (notes: Notes, incident: Loose, fallback: DateTime.Utc): ReadonlyArray<FoundUpdate> =>
  recordsOf(incident["incident_updates"]).flatMap((update) => {
    const body = textAt(update, "body")
    if (body === null) {
      notes.say("An update without a text is not carried")
      return []
    }
    return [{
      status: progress(notes, incident, textAt(update, "status")),
      body: cut(notes, "An update", body, 10_000),
      at: timeAt(update, "display_at", "created_at") ?? fallback
    }]
  }).sort(Order.mapInput(DateTime.Order, ({ at }) => at))

/** The updates as they were said, oldest first. */
const bySaid = Order.mapInput(Order.number, (update: Loose) => timeAt(update, "display_at", "created_at")?.epochMillis ?? 0)

/** A component's worst moment if the incident is over, else its status now. A window of ours has its components in maintenance. */
const componentsOf = (notes: Notes, incident: Loose, ended: boolean): FoundIncident["components"] => {
  const found = new Map<string, ComponentStatus>()
  const quiet = isMaintenance(incident) ? "maintenance" : "operational"
  const note = (id: string | null, word: string | null): void => {
    const said = statusOf(word)
    if (word !== null && said === null) notes.say(`The status "${word}" of a component is not known`)
    if (id === null || said === null) return
    const status = said === "operational" ? quiet : said
    found.set(id, ended ? worse(found.get(id) ?? status, status) : status)
  }
  for (const update of recordsOf(incident["incident_updates"]).toSorted(bySaid)) {
    for (const affected of recordsOf(update["affected_components"])) {
      note(textAt(affected, "code"), textAt(affected, "new_status"))
    }
  }
  for (const component of recordsOf(incident["components"])) {
    sayUnread(notes, component, { texts: ["status"] })
    note(textAt(component, "id"), textAt(component, "status"))
  }
  return [...found].map(([id, status]) => ({ ref: `component:${id}`, status })).slice(0, 200)
}

const times = ["started_at", "scheduled_for", "scheduled_until", "created_at", "resolved_at"]

const impactOf = (notes: Notes, incident: Loose): Impact => {
  const word = textAt(incident, "impact_override", "impact")
  const known = entryOf(impacts, word ?? "")
  if (word !== null && known === undefined) notes.say(`Its impact "${word}" is not known, and becomes minor`)
  return known ?? "minor"
}

/** An entry that says no time begins at `now`. */
export const statuspageIncident = (incident: Loose, pageRef: string, index: number, now: DateTime.Utc): FoundIncident => {
  const notes = makeNotes()
  sayUnread(notes, incident, {
    texts: ["name", "status", "impact"],
    rows: { components: ["id"], incident_updates: ["body"] }
  })
  for (const name of times) {
    if ((incident[name] ?? "") !== "" && timeAt(incident, name) === null) notes.say(`Its ${name} is no time that can be read`)
  }
  const scheduledStart = timeAt(incident, "scheduled_for")
  const [first] = updatesOf(makeNotes(), incident, now)
  const said = timeAt(incident, "started_at") ?? scheduledStart ?? timeAt(incident, "created_at", "resolved_at")
  const startedAt = said ?? first?.at ?? now
  if (said === null) notes.say("It does not say when it began")
  const maintenance = isMaintenance(incident)
  const named = textAt(incident, "name")
  const id = idOf(incident, named, index)
  const name = named ?? "Untitled"
  const status = progress(notes, incident, textAt(incident, "status"))
  const ended = status === "resolved" || status === "completed"
  const updates = updatesOf(notes, incident, startedAt)
  const resolvedAt = ended ? timeAt(incident, "resolved_at") ?? updates.at(-1)?.at ?? startedAt : null
  const end = timeAt(incident, "scheduled_until")
  if (end !== null && scheduledStart !== null && DateTime.lessThan(end, scheduledStart)) {
    notes.say("Its scheduled_until is before its scheduled_for, and becomes the same")
  }
  if (textAt(incident, "postmortem_body") !== null) notes.say("Its postmortem is not carried")
  return {
    ref: `${maintenance ? "maintenance" : "incident"}:${id}`,
    kind: maintenance ? "maintenance" : "incident",
    name: cut(notes, "The title", name, 200),
    notes: notes.all,
    pageRefs: [pageRef],
    status,
    impact: impactOf(notes, incident),
    // As ours, a window that ended before its time began when it ended.
    startedAt: resolvedAt === null ? startedAt : DateTime.min(startedAt, resolvedAt),
    resolvedAt,
    scheduledStart: maintenance ? scheduledStart ?? startedAt : null,
    scheduledEnd: maintenance ? DateTime.max(end ?? scheduledStart ?? startedAt, scheduledStart ?? startedAt) : null,
    series: null,
    components: componentsOf(notes, incident, ended),
    updates
  }
}
