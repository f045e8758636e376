/** The public JSON of Instatus: `/summary.json` and `/v2/components.json`. */
import { type Loose, namesOf, recordOf, recordsOf, textAt, timeAt } from "../import/Loose.ts"
import { componentsIn, conditionOf, isOver, type SourceIncident, type SourcePart } from "./Reading.ts"

const incidentOf = (incident: Loose): SourceIncident | null => {
  const title = textAt(incident, "name")
  const startedAt = timeAt(incident, "started")
  if (title === null || startedAt === null) return null
  const status = textAt(incident, "status") ?? "INVESTIGATING"
  const resolvedAt = timeAt(incident, "resolved")
  const updatedAt = timeAt(incident, "updatedAt", "resolved") ?? startedAt
  const url = textAt(incident, "url")
  return {
    // Incidents of the summary have no id; their address names them.
    id: textAt(incident, "id") ?? url ?? title,
    title,
    status: status.toLowerCase(),
    impact: conditionOf(textAt(incident, "impact")),
    url,
    startedAt,
    updatedAt,
    resolvedAt: resolvedAt ?? (isOver(status) ? updatedAt : null),
    components: namesOf(incident["affectedComponents"] ?? incident["components"]),
    text: null
  }
}

export const instatusPart = (document: unknown): SourcePart | null => {
  const found = recordOf(document)
  const page = recordOf(found["page"])
  if (found["page"] === undefined && found["components"] === undefined) return null
  return {
    overall: found["page"] === undefined ? null : conditionOf(textAt(page, "status")),
    components: found["components"] === undefined
      ? null
      : componentsIn(found["components"], (component) => conditionOf(textAt(component, "status"))),
    incidents: recordsOf(found["activeIncidents"]).flatMap((incident) => incidentOf(incident) ?? [])
  }
}
