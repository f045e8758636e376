/** The inputs of operations on incidents and maintenance windows. */
import { Schema } from "effect"
import { list, name, optional, text, Timestamp, whole } from "../Fields.ts"
import { ComponentId, UserId } from "../Ids.ts"
import { AffectedComponent, Impact, IncidentStatus, MaintenanceRecurrence, ProgressStatus } from "./Incident.ts"

const title = name(200).annotations({ examples: ["Slow checkout"] })
const message = name(10_000).annotations({ examples: ["We are looking into slow checkouts."] })
const pageIds = optional(
  list(Schema.String, 20),
  "Ids or slugs of the pages that show it. The pages of the components are added",
  ["acme"]
)
const polish = optional(Schema.Boolean, "Whether AI rewrites the text; unavailable without an AI provider")
const notify = optional(Schema.Boolean, "Whether subscribers are notified; default true")

const affected = "Affected components, each with the status that it shows. operational returns it to its own source"
const components = optional(list(AffectedComponent, 200), affected)

export const IncidentInput = Schema.Struct({
  title,
  message: message.annotations({ description: "First update, as Markdown" }),
  status: optional(IncidentStatus.pipe(Schema.pickLiteral("investigating", "identified", "monitoring")), "Default investigating"),
  impact: optional(Impact, "Default: major or minor by the components; minor without any"),
  pageIds,
  components,
  public: optional(Schema.Boolean, "Whether the pages show it; default true if it has pages or components"),
  polish,
  notify
}).annotations({ identifier: "IncidentInput" })
export type IncidentInput = typeof IncidentInput.Type

export const IncidentUpdateInput = Schema.Struct({
  message,
  status: optional(ProgressStatus, "New status; resolved and completed end the incident or maintenance"),
  components: optional(list(AffectedComponent, 200), `${affected}. A public update brings the incident onto their pages`),
  public: optional(Schema.Boolean, "false for an internal note, which no page shows and no subscriber receives"),
  polish,
  notify: optional(Schema.Boolean, "Whether subscribers are notified; default as the maintenance was scheduled, else true"),
  endSeries: optional(Schema.Boolean, "true: no window of the recurring maintenance follows")
}).annotations({ identifier: "IncidentUpdateInput" })
export type IncidentUpdateInput = typeof IncidentUpdateInput.Type

export const ResolveInput = Schema.Struct({
  message: optional(
    text(10_000),
    "Text of the last update; by default a note on what recovered after how long",
    "Checkouts are fast again."
  ),
  polish
}).annotations({ identifier: "ResolveInput" })
export type ResolveInput = typeof ResolveInput.Type

const remindMinutes = list(whole(1, 43_200), 5).annotations({
  description: "Minutes before the start at which subscribers are reminded",
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
    "Components that are in maintenance while it runs; by default all components of pageIds"
  ),
  recurrence: optional(MaintenanceRecurrence, "How the maintenance comes again; by default it does not"),
  remindMinutes: optional(remindMinutes),
  notify: optional(Schema.Boolean, "Whether subscribers are notified now, of its start and of its end; default true")
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
  userId: UserId,
  note: teamNote
}).annotations({ identifier: "HandOverInput" })
export type HandOverInput = typeof HandOverInput.Type
