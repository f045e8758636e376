/** Fills in the settings that the owner of a status page did not set. */
import type { DateTime } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { Branding, Page, PageSettings, Seo, Theme, ThemeInput } from "../../../schema/page/Page.ts"
import { presetOf, presetRadius } from "./Theme.ts"

/** `mode` has no default: the visitor's preference applies. `accent` has none either: the preset's applies. */
export const withThemeDefaults = (theme: Theme): Theme => ({
  preset: "daylight",
  tokens: {},
  radius: presetRadius[presetOf(theme.preset)],
  customCss: "",
  ...theme
})

/** A theme as records show it: with null for the choices that the preset or the visitor makes. */
export const shownTheme = (theme: Theme): ThemeInput => ({ mode: null, accent: null, fontSans: null, fontMono: null, ...theme })

export const withBrandingDefaults = (branding: Branding): Branding => ({
  logoUrl: null,
  logoDarkUrl: null,
  faviconUrl: null,
  logoText: null,
  websiteUrl: null,
  supportUrl: null,
  headerLinks: [],
  footerLinks: [],
  footerText: null,
  hidePoweredBy: false,
  ...branding
})

/** `timezone` is the workspace's time zone. */
export const withSettingsDefaults = (settings: PageSettings, timezone: string) =>
  ({
    uptimeDays: 90,
    showUptimePercent: true,
    showResponseTimes: false,
    language: "auto" as const,
    autoIncidents: true,
    incidentMinStatus: "partial_outage" as const,
    aiPublicUpdates: false,
    aiGuidelines: "",
    aiAvoidTerms: [],
    timezone,
    ...settings,
    subscriptions: { email: true, webhook: true, slack: true, rss: true, ...settings.subscriptions }
  }) satisfies PageSettings

export const textOrNull = (text: string | null | undefined): string | null =>
  text === undefined || text?.trim() === "" ? null : text

/** An empty text is none: the page has its usual title and description then. */
export const withSeoDefaults = ({ description, noindex = false, title }: Seo) => ({
  title: textOrNull(title),
  description: textOrNull(description),
  noindex
})

/** A page as stored: only the settings that its owner set, without data derived from other rows. */
export interface SparsePage extends Omit<Page, "groups" | "components" | "draft" | "url" | "dns" | "hasPassword" | "theme"> {
  readonly theme: Theme
  readonly workspaceId: WorkspaceId
  /** When the page got its password; null if it has none. */
  readonly passwordSetAt: DateTime.Utc | null
  /** The workspace's time zone. */
  readonly timezone: string
}

/** A page with every setting at its effective value. */
export const withPageDefaults = ({ branding, seo, settings, theme, timezone, ...page }: SparsePage) => ({
  ...page,
  theme: withThemeDefaults(theme),
  branding: withBrandingDefaults(branding),
  settings: withSettingsDefaults(settings, timezone),
  seo: withSeoDefaults(seo)
})
export type SettledPage = ReturnType<typeof withPageDefaults>
