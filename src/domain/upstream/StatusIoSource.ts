/** The public status of Status.io, which codes states as numbers. */
import type { UpstreamCondition } from "../../../schema/upstream/Upstream.ts"
import { type Loose, namesOf, numberAt, recordOf, recordsOf, textAt, timeAt } from "../import/Loose.ts"
import { componentsIn, isOver, type SourceIncident, type SourcePart, worst } from "./Reading.ts"

const conditionOf = (code: number | null): UpstreamCondition => {
  if (code === null) return "unknown"
  if (code >= 500) return "major_outage"
  if (code >= 400) return "partial_outage"
  if (code >= 300) return "degraded_performance"
  if (code >= 200) return "under_maintenance"
  return code >= 100 ? "operational" : "unknown"
}

const states: Readonly<Record<number, string>> = { 100: "investigating", 200: "identified", 300: "monitoring", 400: "resolved" }

const incidentOf = (incident: Loose): SourceIncident | null => {
  const id = textAt(incident, "_id", "id")
  const title = textAt(incident, "name")
  const startedAt = timeAt(incident, "datetime_open")
  if (id === null || title === null || startedAt === null) return null
  const messages = recordsOf(incident["messages"])
  const latest = messages.at(-1) ?? {}
  const status = states[numberAt(latest, "state") ?? 0] ?? "investigating"
  const updatedAt = timeAt(latest, "datetime") ?? startedAt
  return {
    id,
    title,
    status,
    impact: worst(messages.map((message) => conditionOf(numberAt(message, "status")))) ?? "degraded_performance",
    url: null,
    startedAt,
    updatedAt,
    resolvedAt: timeAt(incident, "datetime_resolved") ?? (isOver(status) ? updatedAt : null),
    components: namesOf(incident["components_affected"]),
    text: textAt(latest, "details")
  }
}

export const statusIoPart = (document: unknown): SourcePart | null => {
  const result = recordOf(recordOf(document)["result"])
  if (result["status"] === undefined && result["status_overall"] === undefined) return null
  return {
    overall: conditionOf(numberAt(recordOf(result["status_overall"]), "status_code")),
    components: componentsIn(result["status"], (component) => conditionOf(numberAt(component, "status_code"))),
    incidents: recordsOf(result["incidents"]).flatMap((incident) => incidentOf(incident) ?? [])
  }
}
