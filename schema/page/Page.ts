/** A status page: its URL, theme and settings. */
import { Schema } from "effect"
import { Component } from "../component/Component.ts"
import { Flag, httpUrl, list, map, name, optional, text, textLike, Timestamp, whole } from "../Fields.ts"
import { GroupId, PageId } from "../Ids.ts"

export const Slug = Schema.String.pipe(Schema.pattern(/^[a-z0-9](?:[a-z0-9-]{1,46}[a-z0-9])?$/, { examples: ["acme"] }))

export const Language = Schema.Literal("en", "de", "fr", "es", "it", "pt", "nl", "el", "pl", "tr", "ja")
export type Language = typeof Language.Type

const hostname = Schema.String.pipe(
  Schema.minLength(4),
  Schema.maxLength(253),
  Schema.pattern(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/)
)

export const Theme = Schema.Struct({
  preset: optional(text(30).annotations({ examples: ["midnight", "grid", "daylight", "paper"] })),
  mode: optional(Schema.Literal("dark", "light")),
  accent: optional(Schema.String.pipe(Schema.pattern(/^#[0-9a-fA-F]{6}$/))),
  tokens: optional(map(text(100), text(500), 200)),
  fontSans: optional(text(40)),
  fontMono: optional(text(40)),
  radius: optional(whole(0, 24)),
  customCss: optional(text(50_000))
})
export type Theme = typeof Theme.Type

const link = Schema.Struct({ label: text(60), url: httpUrl(500) })

export const Branding = Schema.Struct({
  logoUrl: optional(Schema.NullOr(text(1000))),
  logoDarkUrl: optional(Schema.NullOr(text(1000))),
  faviconUrl: optional(Schema.NullOr(text(1000))),
  logoText: optional(Schema.NullOr(text(60))),
  websiteUrl: optional(Schema.NullOr(httpUrl(500))),
  supportUrl: optional(Schema.NullOr(httpUrl(500))),
  headerLinks: optional(list(link, 8)),
  footerLinks: optional(list(link, 20)),
  footerText: optional(Schema.NullOr(text(300))),
  hidePoweredBy: optional(Flag)
})
export type Branding = typeof Branding.Type

export const PageSettings = Schema.Struct({
  uptimeDays: optional(whole(7, 90)),
  showUptimePercent: optional(Flag),
  showResponseTimes: optional(Flag),
  language: optional(Schema.Literal("auto", ...Language.literals)),
  autoIncidents: optional(Flag),
  incidentMinStatus: optional(Schema.Literal("degraded", "partial_outage", "major_outage")),
  aiPublicUpdates: optional(Flag),
  aiGuidelines: optional(text(2000)),
  aiAvoidTerms: optional(list(Schema.String, 50)),
  subscriptions: optional(Schema.Struct({
    email: optional(Flag),
    webhook: optional(Flag),
    slack: optional(Flag),
    rss: optional(Flag)
  })),
  timezone: optional(text(60))
})
export type PageSettings = typeof PageSettings.Type

export const Seo = Schema.Struct({
  title: optional(text(120)),
  description: optional(text(300)),
  noindex: optional(Flag)
})
export type Seo = typeof Seo.Type

export const PageInput = Schema.Struct({
  name: name(100).annotations({ examples: ["Acme"] }),
  slug: optional(
    Slug.annotations({ description: "Last part of the page's URL; default a slug of the name", examples: ["acme"] })
  ),
  description: optional(text(500).annotations({ examples: ["The state of the shop and its API"] })),
  customDomain: optional(Schema.NullOr(hostname).annotations({ description: "Lowercase host name; null clears it" })),
  visibility: optional(Schema.Literal("public", "private")),
  theme: optional(Theme),
  branding: optional(Branding),
  settings: optional(PageSettings),
  seo: optional(Seo)
}).annotations({ identifier: "PageInput" })
export type PageInput = typeof PageInput.Type

export const ComponentGroup = Schema.Struct({
  id: GroupId,
  name: textLike("Shop"),
  description: Schema.NullOr(Schema.String),
  collapsed: Schema.Boolean
}).annotations({ identifier: "ComponentGroup" })
export type ComponentGroup = typeof ComponentGroup.Type

export const Page = Schema.Struct({
  id: PageId,
  name: textLike("Acme"),
  slug: textLike("acme"),
  description: Schema.NullOr(Schema.String),
  customDomain: Schema.NullOr(Schema.String),
  visibility: Schema.Literal("public", "private"),
  theme: Theme,
  branding: Branding,
  settings: PageSettings,
  seo: Seo,
  groups: Schema.Array(ComponentGroup),
  components: Schema.Array(Component),
  url: textLike("https://belltower.example/s/acme"),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotations({ identifier: "Page" })
export type Page = typeof Page.Type
