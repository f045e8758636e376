/** The public incidents of AWS and Google Cloud, which list no components: what no incident names is operational. */
import { DateTime } from "effect"
import type { UpstreamCondition } from "../../../schema/upstream/Upstream.ts"
import { listOf, type Loose, namesOf, numberAt, recordOf, recordsOf, textAt, timeAt } from "../import/Loose.ts"
import { conditionOf, type SourceIncident, type SourcePart } from "./Reading.ts"

const seconds = (value: number | null): DateTime.Utc | null =>
  value === null ? null : DateTime.unsafeMake(value > 1e11 ? value : value * 1000)

/** 0 resolved, 1 information, 2 degradation, 3 disruption. */
const awsConditions: ReadonlyArray<UpstreamCondition> = [
  "operational",
  "degraded_performance",
  "partial_outage",
  "major_outage"
]

const awsIncident = (event: Loose): SourceIncident | null => {
  const title = textAt(event, "summary", "service_name")
  const startedAt = seconds(numberAt(event, "date"))
  if (title === null || startedAt === null) return null
  const log = recordsOf(event["event_log"])
  const latest = log.at(-1) ?? {}
  const status = numberAt(event, "status") ?? 1
  const ended = seconds(numberAt(event, "end_time"))
  const updatedAt = seconds(numberAt(latest, "timestamp")) ?? startedAt
  const impacted = Object.values(recordOf(event["impacted_services"])).flatMap((service) =>
    textAt(recordOf(service), "service_name", "current_name") ?? []
  )
  return {
    id: textAt(event, "arn") ?? `${title} ${DateTime.formatIso(startedAt)}`,
    title,
    status: status === 0 ? "resolved" : "open",
    impact: awsConditions[status] ?? "degraded_performance",
    url: "https://health.aws.amazon.com/health/status",
    startedAt,
    updatedAt,
    resolvedAt: ended ?? (status === 0 ? updatedAt : null),
    components: [
      ...new Set([textAt(event, "service_name") ?? [], textAt(event, "region_name") ?? [], ...impacted].flat())
    ],
    text: textAt(latest, "message")
  }
}

/** `currentevents`: a list of events; empty while all is well. */
export const awsPart = (document: unknown): SourcePart | null => {
  if (!Array.isArray(document)) return null
  return { overall: null, components: [], incidents: recordsOf(document).flatMap((event) => awsIncident(event) ?? []) }
}

const gcpIncident = (incident: Loose): SourceIncident | null => {
  const id = textAt(incident, "id")
  const startedAt = timeAt(incident, "begin", "created")
  if (id === null || startedAt === null) return null
  const latest = recordOf(incident["most_recent_update"])
  const resolvedAt = timeAt(incident, "end")
  const path = textAt(incident, "uri")
  return {
    id,
    title: textAt(incident, "external_desc") ?? "Incident",
    status: resolvedAt === null ? textAt(latest, "status")?.toLowerCase().replaceAll("_", " ") ?? "open" : "resolved",
    impact: conditionOf(textAt(incident, "status_impact")),
    url: path === null ? null : `https://status.cloud.google.com/${path}`,
    startedAt,
    updatedAt: timeAt(incident, "modified") ?? startedAt,
    resolvedAt,
    components: [
      ...namesOf(listOf(incident["affected_products"]).map((product) => textAt(recordOf(product), "title"))),
      ...namesOf(listOf(incident["currently_affected_locations"]).map((location) => textAt(recordOf(location), "id")))
    ],
    text: textAt(latest, "text")
  }
}

/** `incidents.json`: all incidents, newest first. */
export const gcpPart = (document: unknown): SourcePart | null => {
  if (!Array.isArray(document)) return null
  return { overall: null, components: [], incidents: recordsOf(document).flatMap((incident) => gcpIncident(incident) ?? []) }
}
