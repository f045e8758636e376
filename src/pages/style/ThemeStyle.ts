/** Renders a page's theme as a style sheet: the preset's variables, the owner's overrides and the shared rules. */
import type { Theme } from "../../../schema/page/Page.ts"
import { type Palette, presetStyles } from "../../domain/page/Presets.ts"
import { fontName, ownPropertiesOf, type Preset, presetOf } from "../../domain/page/Theme.ts"
import { themeColors } from "../../domain/page/ThemeColors.ts"
import { baseStyle } from "./BaseStyle.ts"
import { formStyle } from "./FormStyle.ts"

const variables = (palette: Palette) => Object.entries(palette).map(([name, value]) => `--${name}:${value};`).join("")

const family = (name: string | undefined, fallback: string) => {
  const font = fontName(name)
  return font === null ? fallback : `"${font}",${fallback}`
}

/** Rules of a preset that variables cannot express. */
const extras: Record<Preset, string> = {
  midnight:
    "body{background-image:radial-gradient(90% 420px at 50% -120px,color-mix(in srgb,var(--accent) 16%,transparent),transparent);" +
    "background-repeat:no-repeat}",
  grid:
    "body{--hair:color-mix(in srgb,var(--line) 42%,transparent);background-image:linear-gradient(var(--hair) 1px,transparent 1px)," +
    "linear-gradient(90deg,var(--hair) 1px,transparent 1px);background-size:32px 32px;background-position:center -1px}" +
    ".banner h2{letter-spacing:-.03em}",
  daylight: "",
  paper: "body{font-size:1.03125rem}.brand,.banner h2,.label{font-weight:600}"
}

/** The first palette applies everywhere, a second one where people prefer dark. */
const palettes = (theme: Theme) =>
  themeColors(theme).map(([mode, colors], index) => {
    const rule = `:root{color-scheme:${mode};${variables(colors)}}`
    return index === 0 ? rule : `@media(prefers-color-scheme:dark){${rule}}`
  }).join("")

/** Prints use the preset's light colours: browsers print no backgrounds, so light text would vanish. */
const printed = (light: Palette) => `@media print{:root{color-scheme:light;${variables(light)}}}`

export const themeStyle = (theme: Theme): string => {
  const preset = presetOf(theme.preset)
  const look = presetStyles[preset]
  return [
    palettes(theme),
    printed(look.light),
    `:root{--sans:${family(theme.fontSans, look.sans)};--mono:${family(theme.fontMono, look.mono)};`,
    `--heading:${look.heading};--radius:${theme.radius ?? 12}px;`,
    `${ownPropertiesOf(theme).map(([name, value]) => `${name}:${value};`).join("")}}`,
    baseStyle,
    formStyle,
    extras[preset]
  ].join("")
}

/** The `theme-color` that a browser uses for its own frame around the page. */
export const frameColors = (theme: Theme): { readonly light: string; readonly dark: string } => {
  const look = presetStyles[presetOf(theme.preset)]
  return {
    light: theme.mode === "dark" ? look.dark.bg : look.light.bg,
    dark: theme.mode === "light" ? look.light.bg : look.dark.bg
  }
}
