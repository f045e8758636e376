/** A page with its draft: the values that its form shows, and those that visitors see. */
import { DateTime } from "effect"
import type { Page, PageDraftFields } from "../../../../schema/page/Page.ts"
import { withBrandingDefaults, withThemeDefaults } from "../../../domain/page/PageDefaults.ts"
import { editedPage, storedTheme } from "../../../domain/page/PageEdit.ts"

/** The page as it will be once its draft is published. */
export const withDraft = (page: Page): Page => {
  if (page.draft === null) return page
  const { branding, theme, ...edited } = editedPage({ ...page, theme: storedTheme(page.theme) }, page.draft.fields)
  return { ...page, ...edited, branding: withBrandingDefaults(branding), theme: withThemeDefaults(theme) }
}

/** The time of the newest that a person who sends a form has seen, of the page or its draft. */
export const seenAt = ({ draft, updatedAt }: Page): string =>
  DateTime.formatIso(draft === null ? updatedAt : DateTime.max(draft.at, updatedAt))

const entriesOf = (value: object | undefined): ReadonlyArray<readonly [string, unknown]> => Object.entries(value ?? {})

/** Values by the paths of their fields: `theme.tokens.text`. */
const valuesOf = ({ branding, description, name, slug, theme: { tokens, ...theme } }: Page): ReadonlyMap<string, unknown> =>
  new Map([
    ...entriesOf({ name, slug, description }),
    ...entriesOf(theme).map(([key, value]) => [`theme.${key}`, value] as const),
    ...entriesOf(tokens).map(([key, value]) => [`theme.tokens.${key}`, value] as const),
    ...entriesOf(branding).map(([key, value]) => [`branding.${key}`, value] as const)
  ])

const textOf = (value: unknown): string => typeof value === "string" || typeof value === "number" ? String(value) : ""

/** The values that the page has now in the fields that its draft changes, by their paths, as its form would show it. */
export const formerValues = (page: Page, shown: Page): Readonly<Record<string, string>> => {
  const [before, after] = [valuesOf(page), valuesOf(shown)]
  const paths = [...new Set([...before.keys(), ...after.keys()])]
  return Object.fromEntries(paths.flatMap((path) => {
    const was = textOf(before.get(path))
    return was === textOf(after.get(path)) ? [] : [[path, was] as const]
  }))
}

const names: Readonly<Record<string, string>> = {
  name: "the name",
  slug: "the address",
  description: "the description",
  theme: "the look",
  branding: "the logo and links",
  settings: "the settings",
  seo: "what search engines see"
}

/** The parts of a page that a draft changes, in words. */
export const draftNames = (fields: PageDraftFields): ReadonlyArray<string> =>
  Object.keys(fields).map((name) => names[name] ?? name)
