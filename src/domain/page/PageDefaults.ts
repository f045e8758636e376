/** What a status page is where its owner has said nothing. */
import type { Branding, PageSettings, Theme } from "../../../schema/page/Page.ts"
import { presetOf, presetRadius } from "./Theme.ts"

/** Without `mode` the visitor's preference decides, without `accent` the preset. */
export const withThemeDefaults = (theme: Theme): Theme => ({
  preset: "daylight",
  tokens: {},
  radius: presetRadius[presetOf(theme.preset)],
  customCss: "",
  ...theme
})

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

/** `timezone` is the workspace's. */
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
