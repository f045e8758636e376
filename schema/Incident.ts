/** An incident: what is wrong, since when, and what people were told. */
import { Schema } from "effect"
import { ComponentStatus } from "./Component.ts"
import { Timestamp } from "./Fields.ts"
import { ComponentId, IncidentId, MonitorId, UpdateId } from "./Ids.ts"

export const IncidentStatus = Schema.Literal("investigating", "identified", "monitoring", "resolved")
export type IncidentStatus = typeof IncidentStatus.Type

export const MaintenanceStatus = Schema.Literal("scheduled", "in_progress", "completed")

export const Impact = Schema.Literal("none", "minor", "major", "critical")
export type Impact = typeof Impact.Type

export const IncidentUpdate = Schema.Struct({
  id: UpdateId,
  status: Schema.Union(IncidentStatus, MaintenanceStatus),
  body: Schema.String,
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
  title: Schema.String,
  status: Schema.Union(IncidentStatus, MaintenanceStatus),
  impact: Impact,
  startedAt: Timestamp,
  resolvedAt: Schema.NullOr(Timestamp),
  scheduledStart: Schema.NullOr(Timestamp),
  scheduledEnd: Schema.NullOr(Timestamp),
  components: Schema.Array(AffectedComponent),
  aiSummary: Schema.NullOr(Schema.String),
  url: Schema.String
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
