/** The inputs of operations on incidents and maintenance windows. */
import { Schema } from "effect"
import { described, list, name, optional, text, Timestamp, whole } from "../Fields.ts"
import { ComponentId, UserId } from "../Ids.ts"
import {
  AffectedComponent,
  GivenImpact,
  IncidentStatus,
  MaintenanceRecurrence,
  MaintenanceStatus,
  ProgressStatus
} from "./Incident.ts"

const title = name(200).annotations({ examples: ["Slow checkout"] })
const message = name(10_000).annotations({ description: "As Markdown", examples: ["We are looking into slow checkouts."] })
const pageIds = optional(
  list(Schema.String, 20),
  "Ids or slugs, beside the components' pages",
  ["acme"]
)
const polish = optional(Schema.Boolean, "Whether AI rewrites the text")
const notify = optional(Schema.Boolean, "Default true")

const isPublic = optional(Schema.Boolean, "false: internal, as all without pages")

/** Each component has one status; one that is listed twice with the same is harmless. */
const oneStatusEach = (listed: ReadonlyArray<AffectedComponent>): ReadonlyArray<Schema.FilterIssue> => {
  const statuses = new Map<string, string>()
  return listed.flatMap(({ componentId, status }, index) => {
    const before = statuses.get(componentId)
    statuses.set(componentId, status)
    return before === undefined || before === status
      ? []
      : [{ path: [index, "componentId"], message: `The list names ${componentId} twice, as ${before} and as ${status}` }]
  })
}

const components = optional(
  list(AffectedComponent, 200).pipe(Schema.filter(oneStatusEach)),
  "Affected components and the status each shows"
)

export const IncidentInput = Schema.Struct({
  title,
  message,
  status: optional(IncidentStatus.pipe(Schema.pickLiteral("investigating", "identified", "monitoring")), "Default investigating"),
  impact: optional(GivenImpact),
  pageIds,
  components,
  public: isPublic,
  polish,
  notify
}).annotations({ identifier: "IncidentInput" })
export type IncidentInput = typeof IncidentInput.Type

export const IncidentUpdateInput = Schema.Struct({
  message,
  status: optional(ProgressStatus),
  title: optional(title),
  impact: optional(GivenImpact),
  components,
  public: isPublic,
  polish,
  notify,
  endSeries: optional(Schema.Boolean, "No window of the series follows")
}).annotations({ identifier: "IncidentUpdateInput" })
export type IncidentUpdateInput = typeof IncidentUpdateInput.Type

export const ResolveInput = Schema.Struct({
  message: optional(
    text(10_000),
    "Last update; default what recovered after how long",
    "Checkouts are fast again."
  ),
  polish
}).annotations({ identifier: "ResolveInput" })
export type ResolveInput = typeof ResolveInput.Type

const remindMinutes = list(whole(1, 43_200), 5).annotations({
  description: "Minutes before the start",
  examples: [[1440, 60]]
})

export const MaintenanceInput = Schema.Struct({
  title: title.annotations({ examples: ["Database upgrade"] }),
  message: message.annotations({ examples: ["Checkout is unavailable while we upgrade."] }),
  scheduledStart: Timestamp,
  scheduledEnd: Timestamp,
  pageIds,
  componentIds: optional(
    list(ComponentId, 200),
    "Default all components of pageIds"
  ),
  components,
  status: optional(MaintenanceStatus.pipe(Schema.pickLiteral("scheduled", "in_progress"))),
  impact: optional(GivenImpact),
  recurrence: optional(MaintenanceRecurrence, "How it comes again"),
  remindMinutes: optional(remindMinutes),
  notify
}).annotations({ identifier: "MaintenanceInput" })
export type MaintenanceInput = typeof MaintenanceInput.Type

export const AcknowledgeInput = Schema.Struct({
  note: optional(text(1000), "Note for the team", "On it.")
}).annotations({ identifier: "AcknowledgeInput" })
export type AcknowledgeInput = typeof AcknowledgeInput.Type

const teamNote = optional(text(1000), "Note for the team", "I need somebody who knows the database.")

export const EscalateInput = Schema.Struct({ note: teamNote }).annotations({ identifier: "EscalateInput" })
export type EscalateInput = typeof EscalateInput.Type

export const HandOverInput = Schema.Struct({
  userId: described(UserId, "Who is to take it"),
  note: teamNote
}).annotations({ identifier: "HandOverInput" })
export type HandOverInput = typeof HandOverInput.Type
