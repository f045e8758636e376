/** The colours that visitors see with a theme, in light and dark. Editors use it in the browser, too. */
import type { Theme } from "../../../schema/page/Page.ts"
import { readableOn } from "./Contrast.ts"
import { type Palette, presetStyles } from "./Presets.ts"
import { presetOf, tokensOf } from "./Theme.ts"

/** WCAG 2.2, 1.4.3. */
const leastOfText = 4.5

/**
 * The palettes that apply: both unless the theme fixes its mode. The accent is one colour for both, so where it is too weak to
 * read it becomes darker or lighter. Tokens stay as they are: their author is responsible for contrast.
 */
export const themeColors = (theme: Theme): ReadonlyArray<readonly [mode: "light" | "dark", colors: Palette]> => {
  const look = presetStyles[presetOf(theme.preset)]
  const tokens: Partial<Palette> = Object.fromEntries(tokensOf(theme))
  const modes = theme.mode === undefined ? ["light", "dark"] as const : [theme.mode]
  return modes.map((mode) => {
    const colors = { ...look[mode], ...tokens }
    const isOwn = theme.accent !== undefined && tokens.accent === undefined
    return [mode, isOwn ? { ...colors, accent: readableOn(theme.accent, [colors.bg, colors.surface], leastOfText) } : colors]
  })
}
