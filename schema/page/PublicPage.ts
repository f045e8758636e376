/** The public view of a status page, served as JSON and as HTML. */
import { Schema, Struct } from "effect"
import { Component, EffectiveStatus } from "../component/Component.ts"
import { described, fromTarget, orNull, textLike, Timestamp } from "../Fields.ts"
import { PublicIncident } from "../incident/Incident.ts"
import { ComponentGroup, Page, Theme } from "./Page.ts"

/** One bar of the uptime history. */
export const UptimeDay = Schema.Struct({
  date: textLike("2026-11-20", "Date as YYYY-MM-DD in the page's time zone"),
  uptimePercent: orNull(
    Schema.Number,
    "Uptime of the day, 0-100; null if nothing was observed, or the page shows no percentages"
  ),
  status: EffectiveStatus.annotations({ description: "Worst status of the day; unknown if nothing was observed" }),
  downSeconds: described(Schema.Int, "Seconds of outage on that day")
}).annotations({ identifier: "UptimeDay" })
export type UptimeDay = typeof UptimeDay.Type

export const PublicComponent = Schema.Struct({
  ...Struct.pick(Component.fields, "id", "key", "name", "description", "group", "status"),
  statusMessage: fromTarget(orNull(Schema.String, "Text that came with the status; null without one")),
  uptimePercent: Schema.NullOr(Schema.Number),
  days: orNull(Schema.Array(UptimeDay), "History by day, oldest first; absent if the page does not show it"),
  updatedAt: Timestamp
}).annotations({ identifier: "PublicComponent" })
export type PublicComponent = typeof PublicComponent.Type

export const PublicPage = Schema.Struct({
  page: Schema.Struct({
    ...Struct.pick(Page.fields, "id", "slug", "name", "description", "url", "branding"),
    theme: Theme,
    settings: Page.fields.settings.pipe(
      Schema.pick("uptimeDays", "showUptimePercent", "showResponseTimes", "language", "subscriptions", "timezone")
    ),
    seo: Page.fields.seo
  }),
  status: EffectiveStatus.annotations({ description: "Worst status of the visible components" }),
  statusText: textLike("All systems operational", "The status in words, in the visitor's language"),
  groups: Schema.Array(ComponentGroup),
  components: Schema.Array(PublicComponent).annotations({ description: "The visible components, in order" }),
  incidents: Schema.Array(PublicIncident).annotations({ description: "Open public incidents" }),
  maintenances: Schema.Array(PublicIncident).annotations({ examples: [[]] }),
  updatedAt: Timestamp
}).annotations({ identifier: "PublicPage" })
export type PublicPage = typeof PublicPage.Type
