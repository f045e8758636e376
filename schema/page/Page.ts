/** A status page: its URL, theme and settings. */
import { ParseResult, Schema } from "effect"
import { Component } from "../component/Component.ts"
import {
  described,
  filled,
  formed,
  httpUrl,
  list,
  map,
  name,
  optional,
  orNull,
  text,
  textBetween,
  textLike,
  Timestamp,
  whole
} from "../Fields.ts"
import { asciiHost } from "../HostName.ts"
import { ComponentId, GroupId, PageId } from "../Ids.ts"

export const Slug = formed(
  /^[a-z0-9](?:[a-z0-9-]{1,46}[a-z0-9])?$/,
  "Expected lower-case letters, digits and hyphens, at most 48, such as acme-status",
  "acme"
)

export const Language = Schema.Literal("en", "de", "fr", "es", "it", "pt", "nl", "el", "pl", "tr", "ja")
export type Language = typeof Language.Type

/** Top-level domains are letters; an international one is `xn--` and what the URL Standard reads as such a name. */
const hostnameText = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])$/

const isHostname = (value: string | null): value is string => value !== null && value.length <= 253 && hostnameText.test(value)

/** The fault of a name of which the URL Standard would make a domain; null if it has none. */
const unlikeDomain = (written: string): string | null =>
  /\p{Lu}/u.test(written) ? "in lower case" : /[.\u3002\uFF0E\uFF61]$/.test(written) ? "without a final dot" : null

/** The domain of a page in ASCII; input can have international names as people write them. */
const hostname = Schema.transformOrFail(Schema.String, Schema.String, {
  strict: true,
  decode: (given, _, ast) => {
    const written = given.trim()
    const name = asciiHost(written)
    const how = unlikeDomain(written)
    return isHostname(name) && how === null
      ? ParseResult.succeed(name)
      : ParseResult.fail(
        new ParseResult.Type(ast, given, `Expected a domain${how === null ? "" : ` ${how}`}, such as status.example.com`)
      )
  },
  encode: ParseResult.succeed
}).annotations({ jsonSchema: { type: "string", minLength: 4, maxLength: 253, examples: ["status.example.com"] } })

const accent = formed(/^#[0-9a-fA-F]{6}$/, "Expected a colour of six hexadecimal digits, such as #2563eb")

export const Theme = Schema.Struct({
  preset: optional(filled(text(30)).annotations({ examples: ["midnight", "grid", "daylight", "paper"] })),
  mode: optional(Schema.Literal("dark", "light")),
  accent: optional(accent),
  tokens: optional(map(text(100), text(500), 200)),
  fontSans: optional(filled(text(40))),
  fontMono: optional(filled(text(40))),
  radius: optional(whole(0, 24)),
  customCss: optional(text(50_000))
})
export type Theme = typeof Theme.Type

/** A theme as callers send and see it: null leaves a choice to the preset or the visitor. */
export const ThemeInput = Schema.Struct({
  ...Theme.fields,
  mode: optional(Schema.NullOr(Schema.Literal("dark", "light"))),
  accent: optional(Schema.NullOr(accent)),
  fontSans: optional(Schema.NullOr(text(40))),
  fontMono: optional(Schema.NullOr(text(40)))
})
export type ThemeInput = typeof ThemeInput.Type

const link = Schema.Struct({ label: text(60), url: httpUrl(500) })

export const Branding = Schema.Struct({
  logoUrl: optional(Schema.NullOr(filled(text(1000)))),
  logoDarkUrl: optional(Schema.NullOr(filled(text(1000)))),
  faviconUrl: optional(Schema.NullOr(filled(text(1000)))),
  logoText: optional(Schema.NullOr(text(60))),
  websiteUrl: optional(Schema.NullOr(httpUrl(500))),
  supportUrl: optional(Schema.NullOr(httpUrl(500))),
  headerLinks: optional(list(link, 8)),
  footerLinks: optional(list(link, 20)),
  footerText: optional(Schema.NullOr(text(300))),
  hidePoweredBy: optional(Schema.Boolean)
})
export type Branding = typeof Branding.Type

export const PageSettings = Schema.Struct({
  uptimeDays: optional(whole(7, 90)),
  showUptimePercent: optional(Schema.Boolean),
  showResponseTimes: optional(Schema.Boolean),
  language: optional(Schema.Literal("auto", ...Language.literals)),
  autoIncidents: optional(Schema.Boolean),
  incidentMinStatus: optional(Schema.Literal("degraded", "partial_outage", "major_outage")),
  aiPublicUpdates: optional(Schema.Boolean),
  aiGuidelines: optional(text(2000)),
  aiAvoidTerms: optional(list(Schema.String, 50)),
  subscriptions: optional(Schema.Struct({
    email: optional(Schema.Boolean),
    webhook: optional(Schema.Boolean),
    slack: optional(Schema.Boolean),
    rss: optional(Schema.Boolean)
  })),
  timezone: optional(filled(text(60)))
})
export type PageSettings = typeof PageSettings.Type

export const Seo = Schema.Struct({
  title: optional(Schema.NullOr(text(120))),
  description: optional(Schema.NullOr(text(300))),
  noindex: optional(Schema.Boolean)
})
export type Seo = typeof Seo.Type

const pageName = name(100).annotations({ examples: ["Acme"] })

const pageFields = {
  slug: optional(Slug, "Default a slug of the name", "acme"),
  description: optional(Schema.NullOr(text(500)).annotations({ examples: ["The state of the shop and its API"] })),
  customDomain: optional(Schema.NullOr(hostname), "Host name"),
  visibility: optional(Schema.Literal("public", "private")),
  password: optional(
    Schema.NullOr(textBetween(8, 200)),
    "Opens a private page to visitors",
    "a shared password"
  ),
  theme: optional(ThemeInput),
  branding: optional(Branding),
  settings: optional(PageSettings),
  seo: optional(Seo)
}

export const PageInput = Schema.Struct({ name: pageName, ...pageFields }).annotations({ identifier: "PageInput" })
export type PageInput = typeof PageInput.Type

const updateFields = { name: optional(pageName), ...pageFields }

/** The objects are merged field by field. */
export const PageUpdate = Schema.Struct({
  ...updateFields,
  draft: optional(Schema.NullOr(Schema.Literal("keep", "publish", "discard")), "keep: only as the page's draft", "keep"),
  since: optional(Timestamp, "updatedAt that you saw; later changes conflict")
}).annotations({ identifier: "PageUpdate" })
export type PageUpdate = typeof PageUpdate.Type

/** The fields that a draft can hold: those that visitors see. Who may see the page is never a draft. */
export const PageDraftFields = Schema.Struct(updateFields).omit("customDomain", "visibility", "password").annotations({
  identifier: "PageDraftFields"
})
export type PageDraftFields = typeof PageDraftFields.Type

export const PageDraft = Schema.Struct({
  at: described(Timestamp, "When it was kept"),
  by: textLike("ops@example.com", "Name of the API key, or email address of the person"),
  fields: described(PageDraftFields, "What differs from the page")
}).annotations({ identifier: "PageDraft" })
export type PageDraft = typeof PageDraft.Type

export const ComponentGroup = Schema.Struct({
  id: GroupId,
  name: textLike("Shop", "Name of the group, shown to visitors"),
  description: orNull(Schema.String, "Text below the name; null without one"),
  collapsed: Schema.Boolean
}).annotations({ identifier: "ComponentGroup" })
export type ComponentGroup = typeof ComponentGroup.Type

export const GroupsInput = Schema.Struct({
  groups: list(
    Schema.Struct({
      id: optional(GroupId, "Omit it to create a group"),
      name: name(80).annotations({ examples: ["Shop"] }),
      description: optional(Schema.NullOr(text(300))),
      collapsed: optional(Schema.Boolean)
    }),
    1000
  ).annotations({ description: "All groups in order; others are deleted" }),
  components: optional(
    list(
      Schema.Struct({
        id: ComponentId,
        group: optional(Schema.NullOr(text(80)), "Name or id of its group")
      }),
      1000
    ),
    "Components in order"
  )
}).annotations({ identifier: "GroupsInput" })
export type GroupsInput = typeof GroupsInput.Type

/** The DNS records by which a page's custom domain is verified. */
export const PageDns = Schema.Struct({
  value: textLike(
    "pg-01k9x2m4q8e7s9v3bthn5wza6c.belltower.example",
    "Host name to which the custom domain points by a CNAME record. It names the page where the service's host has names below it"
  ),
  txtName: orNull(
    Schema.String,
    "Name of a TXT record that proves the domain, also before it points here and after it was released; null without a custom domain",
    "_belltower.status.acme.com"
  ),
  txtValue: textLike("belltower-page=pg_01k9x2m4q8e7s9v3bthn5wza6c", "Value of the TXT record")
}).annotations({ identifier: "PageDns" })
export type PageDns = typeof PageDns.Type

export const DomainCheck = Schema.Struct({
  id: PageId,
  customDomain: textLike("status.acme.com"),
  verified: Schema.Boolean.annotations({ description: "Whether the domain is verified" }),
  reason: orNull(Schema.String, "What to change in DNS; null once verified", null),
  dns: described(PageDns, "What DNS has to say")
}).annotations({ identifier: "DomainCheck" })
export type DomainCheck = typeof DomainCheck.Type

export const Page = Schema.Struct({
  id: PageId,
  name: textLike("Acme"),
  slug: textLike("acme"),
  description: Schema.NullOr(Schema.String),
  customDomain: Schema.NullOr(Schema.String),
  domainVerifiedAt: orNull(
    Timestamp,
    "When the custom domain was verified; null if it is not, and the page is not served there",
    null
  ),
  dns: PageDns,
  visibility: Schema.Literal("public", "private"),
  hasPassword: Schema.Boolean.annotations({ description: "Whether a password opens the private page" }),
  theme: ThemeInput,
  branding: Branding,
  settings: PageSettings,
  seo: Seo,
  groups: Schema.Array(ComponentGroup),
  components: Schema.Array(Component).annotations({ description: "The components, in order" }),
  draft: orNull(PageDraft, "Changes that wait to be published; null without any", null),
  url: textLike("https://belltower.example/s/acme"),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotations({ identifier: "Page" })
export type Page = typeof Page.Type

export const ComponentCounts = Schema.Struct({
  operational: described(Schema.Int, "Visible components that work"),
  degraded: described(Schema.Int, "Visible components that are degraded"),
  partial_outage: described(Schema.Int, "Visible components with a partial outage"),
  major_outage: described(Schema.Int, "Visible components with a major outage"),
  maintenance: described(Schema.Int, "Visible components under maintenance"),
  unknown: described(Schema.Int, "Visible components of which nothing is known"),
  hidden: described(Schema.Int, "Hidden components, whatever their status")
}).annotations({ identifier: "ComponentCounts" })
export type ComponentCounts = typeof ComponentCounts.Type

/** A draft can be as large as a style sheet, so lists have none. */
export const ListedPage = Schema.Struct({ ...Page.omit("draft").fields, counts: optional(ComponentCounts) }).annotations({
  identifier: "ListedPage"
})
export type ListedPage = typeof ListedPage.Type
