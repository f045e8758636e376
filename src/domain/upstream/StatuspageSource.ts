/** Statuspage's public JSON, version 2, which incident.io and others serve too. */
import type { UpstreamCondition } from "../../../schema/upstream/Upstream.ts"
import { flagAt, type Loose, namesOf, recordOf, recordsOf, textAt, timeAt } from "../import/Loose.ts"
import { componentsIn, conditionOf, isOver, type SourceIncident, type SourcePart } from "./Reading.ts"

const indicators: Readonly<Record<string, UpstreamCondition>> = {
  none: "operational",
  minor: "degraded_performance",
  major: "partial_outage",
  critical: "major_outage",
  maintenance: "under_maintenance"
}

/** The most separators that are read. Names have one or two. */
const mostSeparators = 10

/** A name and its parts after each " - ", the longest first. */
const endsOf = (name: string): ReadonlyArray<string> => {
  const parts = name.split(" - ")
  return parts.slice(0, mostSeparators).map((_, index) => parts.slice(index).join(" - ").trim())
}

/** Updates write "Group - Component", and either name may contain " - " itself: an unknown name is given in each possible reading. */
const affectedNames = (isKnown: (name: string) => boolean) => (name: string): ReadonlyArray<string> => {
  const ends = endsOf(name)
  const found = ends.find(isKnown)
  return found === undefined ? ends : [found]
}

/** `known`: the names of the page's components. Null for maintenance, which is no incident, and without an id or a title. */
const incidentOf = (known: ReadonlySet<string>) => (incident: Loose): SourceIncident | null => {
  const id = textAt(incident, "id")
  const title = textAt(incident, "name")
  const startedAt = timeAt(incident, "started_at", "created_at")
  if (id === null || title === null || startedAt === null) return null
  if (textAt(incident, "scheduled_for") !== null) return null
  const status = textAt(incident, "status") ?? "investigating"
  const updates = recordsOf(incident["incident_updates"])
  const affected = updates.flatMap((update) => namesOf(update["affected_components"]))
  const own = new Set(namesOf(incident["components"]))
  const named = affected.flatMap(affectedNames((name) => own.has(name) || known.has(name)))
  const updatedAt = timeAt(incident, "updated_at") ?? startedAt
  return {
    id,
    title,
    status,
    impact: indicators[textAt(incident, "impact") ?? ""] ?? "degraded_performance",
    url: textAt(incident, "shortlink"),
    startedAt,
    updatedAt,
    resolvedAt: timeAt(incident, "resolved_at") ?? (isOver(status) ? updatedAt : null),
    components: [...new Set([...own, ...named])],
    text: updates[0] === undefined ? null : textAt(updates[0], "body")
  }
}

/** `/api/v2/summary.json` or `/api/v2/incidents.json`; null if it is neither. */
export const statuspagePart = (document: unknown): SourcePart | null => {
  const found = recordOf(document)
  const status = recordOf(found["status"])
  if (found["components"] === undefined && found["incidents"] === undefined) return null
  // A group repeats the worst of its members, so only members count.
  const members = recordsOf(found["components"]).filter((component) => !flagAt(component, "group"))
  const components = found["components"] === undefined
    ? null
    : componentsIn(members, (component) => conditionOf(textAt(component, "status")))
  const known = new Set((components ?? []).map(({ name }) => name))
  return {
    overall: found["status"] === undefined ? null : indicators[textAt(status, "indicator") ?? ""] ?? "unknown",
    components,
    incidents: recordsOf(found["incidents"]).flatMap((incident) => incidentOf(known)(incident) ?? [])
  }
}
