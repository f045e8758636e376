/** The look of the mails of a status page: its name, logos and colours, in what mail programs understand. */
import { Schema } from "effect"
import type { Branding, Theme } from "../../../schema/page/Page.ts"
import { readableOn } from "./Contrast.ts"
import { type Palette, presetStyles } from "./Presets.ts"
import { linkUrl } from "./PublicUrl.ts"
import { presetOf } from "./Theme.ts"
import { themeColors } from "./ThemeColors.ts"

/** All are hexadecimal: mail programs know no other colours for certain. */
const MailColors = Schema.Struct({
  bg: Schema.String,
  surface: Schema.String,
  text: Schema.String,
  line: Schema.String,
  /** The colour of links. */
  accent: Schema.String,
  /** The colour of the button, whose text is white. */
  button: Schema.String
})
export type MailColors = typeof MailColors.Type

export const MailLook = Schema.Struct({
  name: Schema.String,
  /** Web addresses; null for none. A page may have its logo in itself, which mail programs do not show. */
  logo: Schema.NullOr(Schema.String),
  darkLogo: Schema.NullOr(Schema.String),
  /** Null if the page is dark for everybody. */
  light: Schema.NullOr(MailColors),
  /** Null if the page is light for everybody. */
  dark: Schema.NullOr(MailColors)
})
export type MailLook = typeof MailLook.Type

const isHex = (color: string): boolean => /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(color)

/** WCAG 2.2, 1.4.3. */
const leastOfText = 4.5

const mailColors = (chosen: Palette, preset: Palette): MailColors => {
  const color = (name: "accent" | "bg" | "line" | "surface" | "text") => isHex(chosen[name]) ? chosen[name] : preset[name]
  const [surface, accent] = [color("surface"), color("accent")]
  // All text stands on the card.
  const readable = (one: string) => readableOn(one, [surface], leastOfText)
  return {
    bg: color("bg"),
    surface,
    text: readable(color("text")),
    line: color("line"),
    accent: readable(accent),
    button: readableOn(accent, ["#ffffff"], leastOfText)
  }
}

export const mailLook = ({ branding, name, theme }: {
  readonly name: string
  readonly branding: Branding
  readonly theme: Theme
}): MailLook => {
  const preset = presetStyles[presetOf(theme.preset)]
  const found = themeColors(theme).map(([mode, colors]) => [mode, mailColors(colors, preset[mode])] as const)
  const of = (mode: "dark" | "light") => found.find(([one]) => one === mode)?.[1] ?? null
  return {
    name: branding.logoText ?? name,
    logo: linkUrl(branding.logoUrl),
    darkLogo: linkUrl(branding.logoDarkUrl),
    light: of("light"),
    dark: of("dark")
  }
}
