/** The public view of a status page, served as JSON and as HTML. */
import { Schema } from "effect"
import { EffectiveStatus } from "../component/Component.ts"
import { fromTarget, orNull, textLike, Timestamp } from "../Fields.ts"
import { ComponentId, GroupId, PageId } from "../Ids.ts"
import { PublicIncident } from "../incident/Incident.ts"
import { Branding, ComponentGroup, PageSettings, Seo, Theme } from "./Page.ts"

/** One bar of the uptime history. */
export const UptimeDay = Schema.Struct({
  date: textLike("2026-11-20", "Date as YYYY-MM-DD in the page's time zone"),
  uptimePercent: orNull(
    Schema.Number,
    "Uptime of the day, 0-100; null if nothing was observed, or the page shows no percentages"
  ),
  status: EffectiveStatus.annotations({ description: "Worst status of the day; unknown if nothing was observed" }),
  downSeconds: Schema.Int
}).annotations({ identifier: "UptimeDay" })
export type UptimeDay = typeof UptimeDay.Type

export const PublicComponent = Schema.Struct({
  id: ComponentId,
  key: textLike("checkout"),
  name: textLike("Checkout"),
  description: Schema.NullOr(Schema.String),
  group: Schema.NullOr(GroupId),
  status: EffectiveStatus,
  statusMessage: fromTarget(Schema.NullOr(Schema.String)),
  uptimePercent: Schema.NullOr(Schema.Number),
  days: Schema.NullOr(Schema.Array(UptimeDay)),
  updatedAt: Timestamp
}).annotations({ identifier: "PublicComponent" })
export type PublicComponent = typeof PublicComponent.Type

export const PublicPage = Schema.Struct({
  page: Schema.Struct({
    id: PageId,
    slug: textLike("acme"),
    name: textLike("Acme"),
    description: Schema.NullOr(Schema.String),
    url: textLike("https://belltower.example/s/acme"),
    theme: Theme,
    branding: Branding,
    settings: PageSettings.pipe(
      Schema.pick("uptimeDays", "showUptimePercent", "showResponseTimes", "language", "subscriptions", "timezone")
    ),
    seo: Seo
  }),
  status: EffectiveStatus,
  statusText: textLike("All systems operational"),
  groups: Schema.Array(ComponentGroup),
  components: Schema.Array(PublicComponent),
  incidents: Schema.Array(PublicIncident),
  maintenances: Schema.Array(PublicIncident).annotations({ examples: [[]] }),
  updatedAt: Timestamp
}).annotations({ identifier: "PublicPage" })
export type PublicPage = typeof PublicPage.Type
