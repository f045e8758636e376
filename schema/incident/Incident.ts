/** An incident or a maintenance window: what is affected, since when, and the updates posted about it. */
import { Schema } from "effect"
import { AuditVia } from "../access/Audit.ts"
import { ComponentStatus } from "../component/Component.ts"
import { fromTarget, fromTargetIfAi, optional, orNull, text, textLike, Timestamp } from "../Fields.ts"
import { ComponentId, IncidentId, MonitorId, PageId, UpdateId } from "../Ids.ts"
import { MutedMonitors } from "../monitor/MutedMonitors.ts"
import { LikelyUpstream } from "../upstream/Upstream.ts"
import { AiReport } from "./AiReport.ts"

export const IncidentKind = Schema.Literal("incident", "maintenance")
export type IncidentKind = typeof IncidentKind.Type

export const IncidentStatus = Schema.Literal("investigating", "identified", "monitoring", "resolved")
export type IncidentStatus = typeof IncidentStatus.Type

export const MaintenanceStatus = Schema.Literal("scheduled", "in_progress", "completed")
export type MaintenanceStatus = typeof MaintenanceStatus.Type

export const ProgressStatus = Schema.Literal(...IncidentStatus.literals, ...MaintenanceStatus.literals)
export type ProgressStatus = typeof ProgressStatus.Type

export const Impact = Schema.Literal("none", "minor", "major", "critical")
export type Impact = typeof Impact.Type

/** The impact as templates have it, and as inputs take it from them. A record has none for `maintenance`. */
export const GivenImpact = Schema.Literal(...Impact.literals, "maintenance")
export type GivenImpact = typeof GivenImpact.Type

const update = {
  id: UpdateId,
  status: ProgressStatus,
  body: fromTargetIfAi(textLike("We are looking into it.")),
  at: Timestamp,
  ai: Schema.Boolean.annotations({ description: "Whether AI wrote the text" })
}

/** An update for everyone who can see the incident. */
export const PublicUpdate = Schema.Struct({ ...update, public: Schema.Literal(true) }).annotations({
  identifier: "PublicUpdate"
})
export type PublicUpdate = typeof PublicUpdate.Type

/** A note for the team. No type of a public view can hold one. */
export const InternalNote = Schema.Struct({ ...update, public: Schema.Literal(false) }).annotations({
  identifier: "InternalNote"
})
export type InternalNote = typeof InternalNote.Type

export const IncidentUpdate = Schema.Union(PublicUpdate, InternalNote)
export type IncidentUpdate = typeof IncidentUpdate.Type

export const AffectedComponent = Schema.Struct({ componentId: ComponentId, status: ComponentStatus })
export type AffectedComponent = typeof AffectedComponent.Type

/** An affected component as stored: whether a person set its status, and what it had before, if that was worse. */
export const SetComponent = Schema.Struct({
  ...AffectedComponent.fields,
  byPerson: optional(Schema.Boolean),
  worst: optional(ComponentStatus)
})
export type SetComponent = typeof SetComponent.Type

export const Acknowledgement = Schema.Struct({
  at: Timestamp,
  by: textLike("ops@example.com", "Name of the API key, or email address of the person"),
  note: optional(Schema.String, "What they said; null if nothing"),
  via: AuditVia
}).annotations({ identifier: "Acknowledgement" })
export type Acknowledgement = typeof Acknowledgement.Type

const shared = {
  id: IncidentId,
  kind: IncidentKind,
  title: textLike("Checkout API is down"),
  status: ProgressStatus,
  impact: Impact,
  startedAt: Timestamp,
  resolvedAt: Schema.NullOr(Timestamp).annotations({ examples: [null] }),
  scheduledStart: Schema.NullOr(Timestamp).annotations({ examples: [null] }),
  scheduledEnd: Schema.NullOr(Timestamp).annotations({ examples: [null] }),
  components: Schema.Array(AffectedComponent),
  aiSummary: fromTarget(Schema.NullOr(Schema.String)),
  url: textLike("https://belltower.example/s/acme#inc_01k9x2m4q8e7s9v3bthn5wza6c")
}

/** An incident in a list: without its updates and AI reports, which a list of hundreds could not hold. */
export const IncidentSummary = Schema.Struct({
  ...shared,
  automatic: Schema.Boolean.annotations({ description: "Whether a monitor or a push opened it" }),
  public: Schema.Boolean.annotations({ description: "Whether the pages of pageIds show it" }),
  monitorId: Schema.NullOr(MonitorId),
  pageIds: Schema.Array(PageId),
  componentIds: optional(Schema.Array(ComponentId), "The components of a maintenance", [
    ComponentId.make("cmp_01k9x2m4q8e7s9v3bthn5wza6c")
  ]),
  acknowledgement: Schema.NullOr(Acknowledgement).annotations({ examples: [null] }),
  likelyUpstream: orNull(
    LikelyUpstream,
    "The incident of a third party, declared in the workspace's upstreams, that began around the same time",
    null
  ),
  mutes: optional(MutedMonitors, "Monitors whose alerts wait while the maintenance runs; missing once it is over"),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotations({ identifier: "IncidentSummary" })
export type IncidentSummary = typeof IncidentSummary.Type

export const MaintenanceRecurrence = Schema.Struct({
  rule: text(300).annotations({
    description: "RRULE: FREQ=WEEKLY;BYDAY=SU",
    examples: ["FREQ=MONTHLY;BYDAY=1SU"]
  }),
  timezone: optional(text(60), "IANA zone; default UTC", "Europe/Berlin")
}).annotations({ identifier: "MaintenanceRecurrence", description: "The next window is scheduled when one ends" })

/** An incident as its workspace sees it. */
export const Incident = Schema.Struct({
  ...IncidentSummary.fields,
  recurrence: optional(MaintenanceRecurrence, "How the maintenance comes again"),
  remindMinutes: optional(Schema.Array(Schema.Int), "Minutes before the start", [1440, 60]),
  notify: optional(Schema.Boolean, "Whether subscribers are notified of the maintenance", true),
  warnings: optional(
    Schema.Array(textLike("It mutes no monitor, because no component that it covers follows one")),
    "Why a maintenance window mutes no monitor, or an update kept the status; missing if neither is so"
  ),
  updates: Schema.Array(IncidentUpdate).annotations({ description: "Updates and internal notes, oldest first" }),
  aiReports: Schema.Array(AiReport).annotations({ description: "AI reports, oldest first", examples: [[]] })
}).annotations({ identifier: "Incident" })
export type Incident = typeof Incident.Type

/** An incident as the public sees it: without internal notes. */
export const PublicIncident = Schema.Struct({
  ...shared,
  updates: Schema.Array(PublicUpdate.pipe(Schema.omit("public"))).annotations({ description: "Its updates, oldest first" })
}).annotations({ identifier: "PublicIncident" })
export type PublicIncident = typeof PublicIncident.Type
