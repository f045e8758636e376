/** What a page's owner may set about its looks, and what of it may reach a style sheet. */
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

/** Corners of a preset, px. */
export const presetRadius: Record<Preset, number> = { midnight: 14, grid: 3, daylight: 12, paper: 6 }

export const presetOf = (name: string | undefined): Preset => presets.find((preset) => preset === name) ?? "daylight"

export const isTokenName = (name: string): name is TokenName => tokenNames.some((token) => token === name)

/** A colour or a length: nothing that ends the declaration, opens a comment or fetches a URL. */
export const isTokenValue = (value: string): boolean =>
  /^[\w#%.,()+\-*\s]{1,100}$/.test(value) && !/url|expression|image/i.test(value)

/** The tokens that may be written into a style sheet. */
export const tokensOf = (theme: Theme): ReadonlyArray<readonly [TokenName, string]> =>
  Object.entries(theme.tokens ?? {}).flatMap(([name, value]) => isTokenName(name) && isTokenValue(value) ? [[name, value]] : [])

/** A font family by name alone, or null where the name could be anything else. */
export const fontName = (name: string | undefined): string | null =>
  name !== undefined && /^[\p{L}\p{N} _-]{1,40}$/u.test(name) && name.trim() !== "" ? name.trim() : null

/**
 * CSS that cannot leave its `<style>` element: `</` is written so that HTML does not see an end tag, and CSS reads the same.
 */
export const confinedCss = (css: string): string => css.replaceAll("\0", "").replaceAll("</", "<\\/")
