/** An import: what a caller moves in from another service, the preview of it, and the job that does it. */
import { Schema } from "effect"
import { httpUrl, list, optional, text, textBetween, textLike, Timestamp } from "../Fields.ts"
import { DocumentId, ImportId } from "../Ids.ts"
import { documentField } from "../plan/Plan.ts"

export const ImportSource = Schema.Literal(
  "uptimerobot",
  "betterstack",
  "statuspage",
  "healthchecks",
  "uptimekuma",
  "gatus",
  "cronitor",
  "belltower",
  "pagerduty",
  "opsgenie",
  "grafanaoncall"
).annotations({
  description: "From uptimekuma on: read from document"
})
export type ImportSource = typeof ImportSource.Type

/** Characters of a document: a file of Uptime Kuma in base64, or a text. */
export const largestDocument = 8 * 1024 * 1024

export const ImportInput = Schema.Struct({
  source: ImportSource.annotations({ examples: ["uptimerobot"] }),
  apiKey: optional(textBetween(4, 500), "Read-only key of the service; never stored"),
  pageId: optional(text(100), "Id of a status page; default every page"),
  url: optional(
    httpUrl(500),
    "statuspage: a public page; healthchecks: your installation"
  ),
  document: optional(
    documentField(
      largestDocument,
      "The file as text; kuma.db in base64; or its id from the preview",
      "endpoints:\n  - {name: shop, url: https://shop.example.com}"
    )
  ),
  monitors: optional(Schema.Boolean, "Default true"),
  channels: optional(Schema.Boolean, "Contacts, schedules, policies; default true"),
  pages: optional(Schema.Boolean, "Default true"),
  incidents: optional(Schema.Boolean, "Default true"),
  mirror: optional(Schema.Boolean, "statuspage: whether a manifest monitor mirrors it"),
  targetPageId: optional(text(60), "Existing page that receives the components"),
  exclude: optional(list(text(200), 2000), "Refs from the preview to leave out")
}).annotations({ identifier: "ImportInput" })
export type ImportInput = typeof ImportInput.Type

export const ImportItemKind = Schema.Literal(
  "monitor",
  "channel",
  "page",
  "component",
  "incident",
  "maintenance",
  "schedule",
  "policy",
  "template"
)
export type ImportItemKind = typeof ImportItemKind.Type

export const ImportAction = Schema.Literal("create", "exists", "unsupported")
export type ImportAction = typeof ImportAction.Type

const ref = textLike("monitor:776123", "Names the item of the source in every import")

export const ImportItem = Schema.Struct({
  ref,
  kind: ImportItemKind,
  name: textLike("Checkout"),
  action: ImportAction.annotations({
    description: "exists: an earlier import made it; unsupported: cannot be carried, for the reason in notes"
  }),
  notes: optional(Schema.Array(Schema.String), "What of it is changed or not carried")
}).annotations({ identifier: "ImportItem" })
export type ImportItem = typeof ImportItem.Type

export const ImportPreview = Schema.Struct({
  source: ImportSource,
  document: optional(
    DocumentId.annotations({ description: "Id of the document, which start_import takes in its place for an hour" })
  ),
  monitors: Schema.Array(ImportItem).annotations({ description: "Monitors and heartbeats" }),
  channels: Schema.Array(ImportItem).annotations({ description: "Alert contacts, as alert channels" }),
  pages: Schema.Array(ImportItem).annotations({ description: "Pages, each followed by its components" }),
  incidents: Schema.Array(ImportItem).annotations({ description: "Incidents, maintenance windows and templates" }),
  onCall: Schema.Array(ImportItem).annotations({ description: "On-call schedules and escalation policies" }),
  warnings: Schema.Array(Schema.String).annotations({ description: "What the source has beside the items and is not carried" })
}).annotations({ identifier: "ImportPreview" })
export type ImportPreview = typeof ImportPreview.Type

export const ImportStatus = Schema.Literal("queued", "running", "succeeded", "failed", "cancelled")
export type ImportStatus = typeof ImportStatus.Type

const item = { ref, kind: ImportItemKind, name: textLike("Checkout", "Its name at the source") }

const Made = Schema.Struct({
  ...item,
  id: textLike("mon_01k9x2m4q8e7s9v3bthn5wza6c", "Id of what was made"),
  note: optional(
    textLike("2 of its 3 alert channels are not carried"),
    "Whom a monitor alerts, where that differs from the source"
  )
})
const Left = Schema.Struct({ ...item, reason: textLike("Ping monitors are not supported", "Why it was not made") })

export const ImportJob = Schema.Struct({
  id: ImportId,
  source: ImportSource,
  status: ImportStatus.annotations({
    description: "cancelled: the process that held the credentials stopped. Start the import again; it creates only what is new"
  }),
  progress: Schema.Struct({
    done: Schema.Int.annotations({ description: "Items that the job is done with" }),
    total: Schema.Int.annotations({ description: "Items of the import; 0 until the source has been read" })
  }).annotations({ description: "How far the job is" }),
  created: Schema.Array(Made).annotations({ description: "Items that were made" }),
  skipped: Schema.Array(Left).annotations({ description: "Items that exist, are excluded or cannot be carried" }),
  failed: Schema.Array(Left).annotations({ description: "Items that were refused, for example by a limit of the plan" }),
  warnings: Schema.Array(Schema.String).annotations({ description: "What is not carried, and why a job failed" }),
  startedAt: Schema.NullOr(Timestamp),
  finishedAt: Schema.NullOr(Timestamp)
}).annotations({ identifier: "ImportJob" })
export type ImportJob = typeof ImportJob.Type
