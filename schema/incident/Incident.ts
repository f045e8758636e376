/** An incident: what is affected, since when, and the updates posted about it. */
import { Schema } from "effect"
import { ComponentStatus } from "../component/Component.ts"
import { textLike, Timestamp } from "../Fields.ts"
import { ComponentId, IncidentId, MonitorId, UpdateId } from "../Ids.ts"

export const IncidentStatus = Schema.Literal("investigating", "identified", "monitoring", "resolved")
export type IncidentStatus = typeof IncidentStatus.Type

const MaintenanceStatus = Schema.Literal("scheduled", "in_progress", "completed")

export const Impact = Schema.Literal("none", "minor", "major", "critical")
export type Impact = typeof Impact.Type

export const IncidentUpdate = Schema.Struct({
  id: UpdateId,
  status: Schema.Union(IncidentStatus, MaintenanceStatus),
  body: textLike("We are looking into it."),
  at: Timestamp,
  ai: Schema.Boolean,
  public: Schema.Boolean
}).annotations({ identifier: "IncidentUpdate" })
export type IncidentUpdate = typeof IncidentUpdate.Type

export const AffectedComponent = Schema.Struct({ componentId: ComponentId, status: ComponentStatus })
export type AffectedComponent = typeof AffectedComponent.Type

const shared = {
  id: IncidentId,
  kind: Schema.Literal("incident", "maintenance"),
  title: textLike("Checkout API is down"),
  status: Schema.Union(IncidentStatus, MaintenanceStatus),
  impact: Impact,
  startedAt: Timestamp,
  resolvedAt: Schema.NullOr(Timestamp).annotations({ examples: [null] }),
  scheduledStart: Schema.NullOr(Timestamp).annotations({ examples: [null] }),
  scheduledEnd: Schema.NullOr(Timestamp).annotations({ examples: [null] }),
  components: Schema.Array(AffectedComponent),
  aiSummary: Schema.NullOr(Schema.String),
  url: textLike("https://belltower.example/s/acme#inc_01k9x2m4q8e7s9v3bthn5wza6c")
}

/** An incident as its workspace sees it. */
export const Incident = Schema.Struct({
  ...shared,
  automatic: Schema.Boolean,
  public: Schema.Boolean,
  monitorId: Schema.NullOr(MonitorId),
  updates: Schema.Array(IncidentUpdate)
}).annotations({ identifier: "Incident" })
export type Incident = typeof Incident.Type

/** An incident as the public sees it: without internal notes. */
export const PublicIncident = Schema.Struct({
  ...shared,
  updates: Schema.Array(IncidentUpdate.pipe(Schema.omit("public")))
}).annotations({ identifier: "PublicIncident" })
export type PublicIncident = typeof PublicIncident.Type
