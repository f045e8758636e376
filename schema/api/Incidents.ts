/** Incidents, maintenance windows, their templates and postmortems. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Deploy } from "../deploy/Deploy.ts"
import { wire } from "../Errors.ts"
import { described, FlagText, optional, orNull, textLike, Timestamp, TimestampZ, timezone, wholeText } from "../Fields.ts"
import { IdPrefixes, IncidentId, PageId } from "../Ids.ts"
import { Incident, IncidentKind, IncidentSummary, MaintenanceRecurrence } from "../incident/Incident.ts"
import {
  AcknowledgeInput,
  EscalateInput,
  HandOverInput,
  IncidentInput,
  IncidentUpdateInput,
  MaintenanceInput,
  ResolveInput
} from "../incident/IncidentInput.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"
import { createTemplate, deleteTemplate, listTemplates, renderTemplate, updateTemplate } from "./IncidentTemplates.ts"
import { all, paged } from "./parts/Answers.ts"
import { Hinted, ReachesOut, ReachesOutWith } from "./parts/Hints.ts"
import { generatePostmortem, getPostmortem, publishPostmortem, savePostmortem } from "./Postmortems.ts"

const incidentId = HttpApiSchema.param("id", IncidentId)

/** An acknowledgement names an incident, or the monitor that it is about. */
const eitherId = HttpApiSchema.param(
  "id",
  Schema.String.annotations({
    description: "Of the incident, or of its monitor",
    examples: ["inc_01k9x2m4q8e7s9v3bthn5wza6c"],
    [IdPrefixes]: ["inc", "mon"]
  })
)

const listQuery = Schema.Struct({
  open: optional(FlagText, "Only what is not resolved or completed"),
  kind: optional(IncidentKind, "Only of this kind"),
  pageId: optional(
    Schema.String.annotations({
      description: "Id or slug",
      examples: ["acme"],
      [IdPrefixes]: ["pg"]
    })
  ),
  monitorId: optional(
    Schema.String.annotations({
      description: "Of this monitor, or maintenance of its components",
      examples: ["mon_01k9x2m4q8e7s9v3bthn5wza6c"],
      [IdPrefixes]: ["mon"]
    })
  ),
  before: optional(IncidentId, "next of the page before"),
  limit: optional(wholeText(1, 200), "Maximum number of incidents; default 50")
})

const IncidentWithDeploys = Schema.Struct({
  ...Incident.fields,
  deploys: Schema.Array(Deploy).annotations({
    description: "The newest 20 deploys from an hour before the incident through its end, newest first",
    examples: [[]]
  })
}).annotations({ identifier: "IncidentWithDeploys" })
export type IncidentWithDeploys = typeof IncidentWithDeploys.Type

const PagePreview = Schema.Struct({
  pageId: PageId,
  pageName: textLike("Acme", "Name of the page"),
  url: textLike("https://belltower.example/s/acme#inc_01k9x2m4q8e7s9v3bthn5wza6c"),
  title: textLike("Identified: Slow checkout", "Heading of the news, in English"),
  text: textLike("We are rolling back.", "As the page shows it"),
  mail: orNull(
    Schema.Struct({
      subject: textLike("Acme: Identified: Slow checkout"),
      text: textLike("We are rolling back.", "Plain text of the mail")
    }),
    "What its email subscribers receive; null with notify set to false",
    null
  )
}).annotations({ identifier: "PagePreview" })

const UpdatePreview = Schema.Struct({
  pages: Schema.Array(PagePreview).annotations({
    description: "Each page that would show it; none for an internal note, or an incident that no page shows"
  })
}).annotations({ identifier: "UpdatePreview" })
export type UpdatePreview = typeof UpdatePreview.Type

const firstStart = "First window"

export class Incidents extends HttpApiGroup.make("Incidents")
  .annotate(OpenApi.Description, "Incidents and maintenance windows, their templates and postmortems.")
  .add(
    HttpApiEndpoint.get("list_incidents", "/incidents")
      .setUrlParams(listQuery)
      .addSuccess(paged(IncidentSummary, IncidentId))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List incidents and maintenance windows")
      .annotate(
        OpenApi.Description,
        "Newest first, without their updates; get_incident returns these. Pass next as before to get the next page."
      )
  )
  .add(
    HttpApiEndpoint.get("get_incident")`/incidents/${incidentId}`
      .addSuccess(IncidentWithDeploys)
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Get an incident or a maintenance window")
      .annotate(
        OpenApi.Description,
        "Includes all updates, internal notes and AI reports, and the deploys from an hour before it through its end."
      )
  )
  .add(
    HttpApiEndpoint.post("create_incident", "/incidents")
      .setPayload(IncidentInput)
      .addSuccess(Incident, { status: 201 })
      .addError(Schema.Union(wire.validationFailed, wire.planLimit, wire.unavailable))
      .middleware(WriteAccess)
      .annotate(ReachesOutWith, "polish")
      .annotate(OpenApi.Summary, "Open an incident")
      .annotate(
        OpenApi.Description,
        "Its message becomes the first update. Components of a public incident show the given status until the incident " +
          "lists them as operational or is resolved. Subscribers of the pages are notified unless notify is false."
      )
  )
  .add(
    HttpApiEndpoint.post("post_incident_update")`/incidents/${incidentId}/updates`
      .setPayload(IncidentUpdateInput)
      .addSuccess(Incident)
      .addError(Schema.Union(wire.notFound, wire.validationFailed, wire.planLimit, wire.unavailable))
      .middleware(WriteAccess)
      .annotate(ReachesOutWith, "polish")
      .annotate(OpenApi.Summary, "Post an update")
      .annotate(
        OpenApi.Description,
        "resolved and completed end it. What is over takes further updates, but stays over. Takes what " +
          "render_incident_template returns; a new title or impact replaces that of the incident."
      )
  )
  .add(
    HttpApiEndpoint.post("preview_incident_update")`/incidents/${incidentId}/updates/preview`
      .setPayload(IncidentUpdateInput)
      .addSuccess(UpdatePreview)
      .addError(Schema.Union(wire.notFound, wire.validationFailed))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Preview an update")
      .annotate(OpenApi.Description, "What pages and mails would show of it. Nothing is posted, and polish has no effect.")
  )
  .add(
    HttpApiEndpoint.post("resolve_incident")`/incidents/${incidentId}/resolve`
      .setPayload(ResolveInput)
      .addSuccess(Incident)
      .addError(Schema.Union(wire.notFound, wire.conflict, wire.planLimit, wire.unavailable))
      .middleware(WriteAccess)
      .annotate(ReachesOutWith, "polish")
      .annotate(OpenApi.Summary, "Resolve an incident")
      .annotate(OpenApi.Description, "Completes a maintenance window. Without a message, the service writes the last update.")
  )
  .add(
    HttpApiEndpoint.post("analyze_incident")`/incidents/${incidentId}/analyze`
      .addSuccess(Incident)
      .addError(Schema.Union(wire.notFound, wire.planLimit, wire.unavailable))
      .middleware(WriteAccess)
      .annotate(ReachesOut, true)
      .annotate(OpenApi.Summary, "Analyze an incident")
      .annotate(
        OpenApi.Description,
        "Adds an AI report. Fails with unavailable if no AI provider is configured, or if it does not answer, and with " +
          "plan_limit if the month's reports are used up."
      )
  )
  .add(
    HttpApiEndpoint.get("preview_recurrence", "/maintenance/times")
      .setUrlParams(Schema.Struct({
        rule: MaintenanceRecurrence.fields.rule,
        start: described(TimestampZ.annotations({ description: firstStart }), firstStart),
        timezone: optional(timezone(60), "IANA zone; default UTC"),
        limit: optional(wholeText(1, 50), "Maximum number of times; default 5")
      }))
      .addSuccess(
        all(Schema.Struct({ at: described(Timestamp, "Start of a window") }).annotations({ identifier: "WindowStart" }))
      )
      .addError(wire.validationFailed)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Preview a recurrence rule")
      .annotate(OpenApi.Description, "The starts of the windows that a series would have, the first included. Stores nothing.")
  )
  .add(
    HttpApiEndpoint.post("schedule_maintenance", "/maintenance")
      .setPayload(MaintenanceInput)
      .addSuccess(Incident, { status: 201 })
      .addError(wire.validationFailed)
      .middleware(WriteAccess)
      .annotate(Hinted, { heardOutside: true })
      .annotate(OpenApi.Summary, "Schedule maintenance")
      .annotate(
        OpenApi.Description,
        "Starts and completes by itself. Meanwhile its components show maintenance, and alerts of their monitors wait: mutes in " +
          "the answer says which. To keep alerts back without a page, use create_mute."
      )
  )
  .add(
    HttpApiEndpoint.post("acknowledge_incident")`/incidents/${eitherId}/ack`
      .setPayload(AcknowledgeInput)
      .addSuccess(Incident)
      .addError(Schema.Union(wire.notFound, wire.conflict))
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Acknowledge an incident")
      .annotate(
        OpenApi.Description,
        "Stops reminders and escalation. An incident that is acknowledged stays as it is. Visitors of pages do not see it."
      )
  )
  .add(
    HttpApiEndpoint.post("unacknowledge_incident")`/incidents/${eitherId}/unack`
      .addSuccess(Incident)
      .addError(Schema.Union(wire.notFound, wire.conflict))
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Remove an acknowledgement")
      .annotate(OpenApi.Description, "Reminders and escalation resume.")
  )
  .add(
    HttpApiEndpoint.post("escalate_incident")`/incidents/${incidentId}/escalate`
      .setPayload(EscalateInput)
      .addSuccess(Incident)
      .addError(Schema.Union(wire.notFound, wire.conflict))
      .middleware(WriteAccess)
      .annotate(Hinted, { heardOutside: true })
      .annotate(OpenApi.Summary, "Page the next level now")
      .annotate(
        OpenApi.Description,
        "After the last level the policy begins again. An acknowledgement is taken back: those who are paged have to acknowledge."
      )
  )
  .add(
    HttpApiEndpoint.post("hand_over_incident")`/incidents/${incidentId}/handover`
      .setPayload(HandOverInput)
      .addSuccess(Incident)
      .addError(Schema.Union(wire.notFound, wire.conflict))
      .middleware(WriteAccess)
      .annotate(Hinted, { heardOutside: true })
      .annotate(OpenApi.Summary, "Hand an incident over to a person")
      .annotate(
        OpenApi.Description,
        "Pages the person now by their rules, and nobody else who is still planned. An acknowledgement is taken back; if the person " +
          "does not acknowledge either, the escalation goes on, 5 minutes later at the earliest."
      )
  )
  .add(generatePostmortem)
  .add(getPostmortem)
  .add(savePostmortem)
  .add(publishPostmortem)
  .add(listTemplates)
  .add(createTemplate)
  .add(updateTemplate)
  .add(deleteTemplate)
  .add(renderTemplate)
{}
