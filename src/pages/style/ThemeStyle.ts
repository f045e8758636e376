/** Renders a page's theme as a style sheet: the preset's variables, the owner's overrides and the shared rules. */
import type { Theme } from "../../../schema/page/Page.ts"
import { fontName, type Preset, presetOf, tokensOf } from "../../domain/page/Theme.ts"
import { baseStyle } from "./BaseStyle.ts"
import { type Palette, type PresetStyle, presetStyles } from "./Presets.ts"

const variables = (palette: Partial<Palette>) => Object.entries(palette).map(([name, value]) => `--${name}:${value};`).join("")

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
  paper: "body{font-size:16.5px}.brand,.banner h2,.label{font-weight:600}"
}

const palettes = (look: PresetStyle, mode: Theme["mode"]) => {
  const light = `:root{color-scheme:light;${variables(look.light)}}`
  const dark = `:root{color-scheme:dark;${variables(look.dark)}}`
  if (mode === "light") return light
  return mode === "dark" ? dark : `${light}@media(prefers-color-scheme:dark){${dark}}`
}

export const themeStyle = (theme: Theme): string => {
  const preset = presetOf(theme.preset)
  const look = presetStyles[preset]
  const overrides: Partial<Palette> = {
    ...(theme.accent === undefined ? {} : { accent: theme.accent }),
    ...Object.fromEntries(tokensOf(theme))
  }
  return [
    palettes(look, theme.mode),
    `:root{--sans:${family(theme.fontSans, look.sans)};--mono:${family(theme.fontMono, look.mono)};`,
    `--heading:${look.heading};--radius:${theme.radius ?? 12}px;${variables(overrides)}}`,
    baseStyle,
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
