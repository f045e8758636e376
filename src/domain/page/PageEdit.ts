/** Applies an edit to a page: objects are merged field by field, and null removes a choice. */
import type { PageUpdate, Theme, ThemeInput } from "../../../schema/page/Page.ts"
import { type SparsePage, textOrNull } from "./PageDefaults.ts"

export type PageFields = Pick<
  SparsePage,
  "name" | "slug" | "description" | "customDomain" | "visibility" | "theme" | "branding" | "settings" | "seo"
>

/** The choices of a theme that null removes. */
const removable = ["mode", "accent", "fontSans", "fontMono"] as const

/** A theme as it is stored: without the choices that were removed. */
export const storedTheme = (theme: ThemeInput): Theme => {
  const { accent, fontMono, fontSans, mode, ...others } = theme
  const chosen = { accent, fontMono, fontSans, mode }
  return removable.reduce<Theme>((all, name) => {
    const value = chosen[name]
    return value === undefined || value === null ? all : { ...all, [name]: value }
  }, others)
}

export const editedPage = (before: PageFields, input: PageUpdate): PageFields => ({
  name: input.name ?? before.name,
  slug: input.slug ?? before.slug,
  description: input.description === undefined ? before.description : textOrNull(input.description),
  customDomain: input.customDomain === undefined ? before.customDomain : input.customDomain,
  visibility: input.visibility ?? before.visibility,
  theme: storedTheme({ ...before.theme, ...input.theme }),
  branding: { ...before.branding, ...input.branding },
  settings: {
    ...before.settings,
    ...input.settings,
    ...(input.settings?.subscriptions === undefined
      ? {}
      : { subscriptions: { ...before.settings.subscriptions, ...input.settings.subscriptions } })
  },
  seo: { ...before.seo, ...input.seo }
})
