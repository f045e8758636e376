/** The weekly digest: how the monitors of a workspace did, compared with the week before. */
import { Schema } from "effect"
import { fromTarget, optional, orNull, textLike, Timestamp, timezone } from "../Fields.ts"
import { EventId, IncidentId, MonitorId, UserId, WorkspaceId } from "../Ids.ts"

const Percent = orNull(Schema.Number, "Null if nothing was observed", 99.982)

/** A figure of the period, and of the period of the same length before it. */
const trend = <A, I>(value: Schema.Schema<A, I>, what: string) =>
  Schema.Struct({
    current: value.annotations({ description: "In the period" }),
    previous: value.annotations({ description: "In the period before" })
  }).annotations({ description: what })

const DigestMonitor = Schema.Struct({
  id: MonitorId,
  name: textLike("Checkout API"),
  uptimePercent: Percent,
  downSeconds: Schema.Int.annotations({ description: "Downtime in seconds" }),
  incidents: Schema.Int.annotations({ description: "Incidents that began" })
}).annotations({ identifier: "DigestMonitor" })
export type DigestMonitor = typeof DigestMonitor.Type

const DigestIncident = Schema.Struct({
  id: IncidentId,
  title: textLike("Checkout API is down"),
  startedAt: Timestamp,
  resolvedAt: Schema.NullOr(Timestamp),
  durationMinutes: Schema.Int.annotations({ description: "Until its end, or the end of the period" }),
  acknowledged: Schema.Boolean.annotations({ description: "Whether somebody acknowledged it" })
}).annotations({ identifier: "DigestIncident" })

export const Digest = Schema.Struct({
  workspace: Schema.Struct({ id: WorkspaceId, name: textLike("Acme") }),
  period: Schema.Struct({ from: Timestamp, to: Timestamp, timezone: textLike("Europe/Athens") }).annotations({
    description: "The time that it is about; to is not part of it"
  }),
  summary: textLike(
    "24 monitors were up 99.982% of the time. 2 incidents, 1 fewer than the week before.",
    "The period in a few sentences"
  ),
  monitors: Schema.Struct({
    total: Schema.Int.annotations({ description: "Monitors of the workspace" }),
    uptimePercent: Percent,
    coveragePercent: Schema.Number.annotations({ description: "Share of the time that was observed" }),
    downSeconds: Schema.Int.annotations({ description: "Downtime of all monitors together, in seconds" }),
    worst: Schema.Array(DigestMonitor).annotations({ description: "Up to 10 monitors with downtime, the most first" })
  }).annotations({ description: "The monitors together, and the worst of them" }),
  incidents: Schema.Struct({
    total: Schema.Int.annotations({ description: "Incidents that began in the period" }),
    open: Schema.Int.annotations({ description: "Incidents that are open now" }),
    acknowledged: Schema.Int.annotations({ description: "Of the total, those that somebody acknowledged" }),
    averageMinutes: orNull(Schema.Int, "Of those that were resolved"),
    longest: Schema.Array(DigestIncident).annotations({ description: "Up to 10, the longest first" })
  }).annotations({ description: "The incidents of the period" }),
  trends: Schema.Struct({
    uptimePercent: trend(Percent, "Share of the observed time that monitors were up"),
    incidents: trend(Schema.Int, "Incidents that began"),
    downSeconds: trend(Schema.Int, "Downtime of all monitors together, in seconds")
  }).annotations({ description: "Figures beside those of the period before" }),
  focus: Schema.Array(textLike("Checkout API had 4 incidents. Find out what they have in common.")).annotations({
    description: "What needs attention, the most urgent first"
  }),
  ai: fromTarget(Schema.NullOr(Schema.String)).annotations({
    description: "Text by AI; null for the rule-based digest",
    examples: [null]
  })
}).annotations({ identifier: "Digest" })
export type Digest = typeof Digest.Type

export const DigestPreviewInput = Schema.Struct({
  period: optional(
    Schema.Literal("last_week", "last_7_days"),
    "Default the last full week",
    "last_7_days"
  ),
  ai: optional(Schema.Boolean, "Whether AI writes a text"),
  format: optional(Schema.Literal("json", "html"), "html adds the rendered email; default json")
}).annotations({ identifier: "DigestPreviewInput" })
export type DigestPreviewInput = typeof DigestPreviewInput.Type

export const DigestPreview = Schema.Struct({
  ...Digest.fields,
  html: optional(fromTarget(Schema.String), "The email; only with format html")
}).annotations({ identifier: "DigestPreview" })
export type DigestPreview = typeof DigestPreview.Type

export const DigestSettings = Schema.Struct({
  timezone: textLike("Europe/Athens", "Of the workspace"),
  subscribed: orNull(Schema.Boolean, "Whether the signed-in member receives the email; null for an API key", true),
  recipients: Schema.Array(Schema.Struct({ id: UserId, name: Schema.NullOr(Schema.String), email: textLike("sam@example.com") }))
    .annotations({ description: "Who receives the email" }),
  nextSendAt: Timestamp.annotations({ description: "Next Monday at 08:00 in the time zone" }),
  lastRuns: Schema.Array(Schema.Struct({
    week: textLike("2026-11-16", "The Monday on which it was due"),
    sentAt: Timestamp.annotations({ description: "When it was sent or captured" }),
    recipients: Schema.Int.annotations({ description: "Number of emails" }),
    captured: Schema.Boolean.annotations({
      description: "Whether the emails were captured, not sent, because no mail server was set"
    }),
    eventId: EventId
  })).annotations({ description: "The last 10, newest first" })
}).annotations({ identifier: "DigestSettings" })
export type DigestSettings = typeof DigestSettings.Type

export const DigestSettingsUpdate = Schema.Struct({
  subscribed: optional(Schema.Boolean, "Whether the signed-in member receives the email"),
  timezone: optional(timezone(60), "Of the workspace")
}).annotations({ identifier: "DigestSettingsUpdate" })
export type DigestSettingsUpdate = typeof DigestSettingsUpdate.Type
