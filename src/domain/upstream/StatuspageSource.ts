/** Statuspage's public JSON, version 2, which incident.io and others serve too. */
import type { UpstreamCondition } from "../../../schema/upstream/Upstream.ts"
import { flagAt, type Loose, namesOf, recordOf, recordsOf, textAt, timeAt } from "../import/Loose.ts"
import type { SourceComponent, SourceIncident, SourcePart } from "./Reading.ts"
import { conditionOf, isOver } from "./Words.ts"

const indicators: Readonly<Record<string, UpstreamCondition>> = {
  none: "operational",
  minor: "degraded_performance",
  major: "partial_outage",
  critical: "major_outage",
  maintenance: "under_maintenance"
}

/** A group repeats the worst of its members, so only members count. */
const componentsOf = (summary: Loose): ReadonlyArray<SourceComponent> =>
  recordsOf(summary["components"]).flatMap((component) => {
    const name = textAt(component, "name")
    return name === null || flagAt(component, "group") ? [] : [{ name, condition: conditionOf(textAt(component, "status")) }]
  })

/** Updates call a component of a group "Group - Component". */
const withoutGroup = (name: string): string => name.slice(name.lastIndexOf(" - ") + 1).replace(/^- /, "").trim()

/** Null for a window of maintenance, which is no incident, and for what has no id or title. */
const incidentOf = (incident: Loose): SourceIncident | null => {
  const id = textAt(incident, "id")
  const title = textAt(incident, "name")
  const startedAt = timeAt(incident, "started_at", "created_at")
  if (id === null || title === null || startedAt === null) return null
  if (textAt(incident, "scheduled_for") !== null) return null
  const status = textAt(incident, "status") ?? "investigating"
  const updates = recordsOf(incident["incident_updates"])
  const affected = updates.flatMap((update) => namesOf(update["affected_components"]))
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
    components: [...new Set([...namesOf(incident["components"]), ...affected].map(withoutGroup))],
    text: updates[0] === undefined ? null : textAt(updates[0], "body")
  }
}

/** `/api/v2/summary.json` or `/api/v2/incidents.json`; null if it is neither. */
export const statuspagePart = (document: unknown): SourcePart | null => {
  const found = recordOf(document)
  const status = recordOf(found["status"])
  if (found["components"] === undefined && found["incidents"] === undefined) return null
  return {
    overall: found["status"] === undefined ? null : indicators[textAt(status, "indicator") ?? ""] ?? "unknown",
    components: found["components"] === undefined ? null : componentsOf(found),
    incidents: recordsOf(found["incidents"]).flatMap((incident) => incidentOf(incident) ?? [])
  }
}
