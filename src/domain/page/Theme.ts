/** The theme settings that a page's owner may choose, and the values that may appear in a style sheet. */
import type { Theme } from "../../../schema/page/Page.ts"

export const presets = ["midnight", "grid", "daylight", "paper"] as const
export type Preset = (typeof presets)[number]

/** The CSS variables that `theme.tokens` may set, without their leading `--`. */
export const tokenNames = [
  "bg",
  "surface",
  "text",
  "muted",
  "line",
  "accent",
  "operational",
  "degraded",
  "partial",
  "major",
  "maintenance",
  "unknown"
] as const
export type TokenName = (typeof tokenNames)[number]

/** The corner radius of each preset, px. */
export const presetRadius: Record<Preset, number> = { midnight: 14, grid: 3, daylight: 12, paper: 6 }

export const presetOf = (name: string | undefined): Preset => presets.find((preset) => preset === name) ?? "daylight"

export const isTokenName = (name: string): name is TokenName => tokenNames.some((token) => token === name)

/** The owner's own variables, for `theme.customCss`: custom properties of CSS, written as they are called. */
export const isOwnProperty = (name: string): boolean => /^--x-[a-z\d-]{1,60}$/i.test(name)

/** A bracket that stays open would take in the declarations behind it. */
const isBalanced = (value: string): boolean => {
  let open = 0
  for (const sign of value) {
    if (sign === "(") open++
    if (sign === ")" && --open < 0) return false
  }
  return open === 0
}

/** Accepts a colour or a length: nothing that could end the declaration, open a comment or fetch a URL. */
export const isTokenValue = (value: string): boolean =>
  /^[\w#%.,()+\-*\s]{1,100}$/.test(value) && !/url|expression|image/i.test(value) && isBalanced(value)

/** The valid tokens of a theme, safe to write into a style sheet. */
export const tokensOf = (theme: Theme): ReadonlyArray<readonly [TokenName, string]> =>
  Object.entries(theme.tokens ?? {}).flatMap(([name, value]) => isTokenName(name) && isTokenValue(value) ? [[name, value]] : [])

/** The owner's own variables, safe to write into a style sheet. */
export const ownPropertiesOf = (theme: Pick<Theme, "tokens">): ReadonlyArray<readonly [name: string, value: string]> =>
  Object.entries(theme.tokens ?? {}).filter(([name, value]) => isOwnProperty(name) && isTokenValue(value))

/** The name of a single font family, or null if the text could be anything else. */
export const fontName = (name: string | undefined): string | null =>
  name !== undefined && /^[\p{L}\p{N} _-]{1,40}$/u.test(name) && name.trim() !== "" ? name.trim() : null

/** CSS that cannot break out of its `<style>` element: escapes `</`, which HTML would read as an end tag. */
export const confinedCss = (css: string): string => css.replaceAll("\0", "").replaceAll("</", "<\\/")
