/** Validates what the schema of a page cannot check. */
import { DateTime, Option } from "effect"
import type { PageInput } from "../../../schema/page/Page.ts"
import type { Refusal } from "../Refusal.ts"
import { imageUrl } from "./PublicUrl.ts"
import { isReserved } from "./Slug.ts"
import { fontName, isOwnProperty, isTokenName, isTokenValue, presets, tokenNames } from "./Theme.ts"

const themeRefusals = (theme: NonNullable<PageInput["theme"]>): ReadonlyArray<Refusal> => {
  const known: ReadonlyArray<string> = presets
  return [
    ...(theme.preset === undefined || known.includes(theme.preset)
      ? []
      : [{ path: "theme.preset", message: `Expected one of ${presets.join(", ")}` }]),
    ...Object.entries(theme.tokens ?? {}).flatMap(([name, value]): ReadonlyArray<Refusal> =>
      !isTokenName(name) && !isOwnProperty(name)
        ? [{
          path: `theme.tokens.${name}`,
          message: `Unknown token; the tokens are ${tokenNames.join(", ")}, and your own, such as --x-gap`
        }]
        : isTokenValue(value)
        ? []
        : [{ path: `theme.tokens.${name}`, message: "Expected a colour or a length, such as #0a84ff or rgb(10 132 255)" }]
    ),
    ...(["fontSans", "fontMono"] as const).flatMap((font) =>
      theme[font] === undefined || theme[font] === null || fontName(theme[font]) !== null
        ? []
        : [{ path: `theme.${font}`, message: "Expected the name of one font family" }]
    )
  ]
}

const imageRefusals = (branding: NonNullable<PageInput["branding"]>): ReadonlyArray<Refusal> =>
  (["logoUrl", "logoDarkUrl", "faviconUrl"] as const).flatMap((field) => {
    const url = branding[field]
    return url === undefined || url === null || imageUrl(url) !== null
      ? []
      : [{ path: `branding.${field}`, message: "Expected an http or https URL, or a data:image URL" }]
  })

const timezoneRefusals = (timezone: string | undefined): ReadonlyArray<Refusal> =>
  timezone === undefined || Option.isSome(DateTime.zoneMakeNamed(timezone))
    ? []
    : [{ path: "settings.timezone", message: "Expected an IANA time zone, such as Europe/Berlin" }]

export const publicPassword: Refusal = {
  path: "password",
  message: "A page with a password must be private. Set visibility to private, or the password to null"
}

/** Why the input for a page is refused; empty if it is valid. */
export const pageRefusals = (input: Partial<PageInput>): ReadonlyArray<Refusal> => [
  ...(input.slug !== undefined && isReserved(input.slug)
    ? [{ path: "slug", message: `${input.slug} is reserved`, hint: "Choose another slug, or omit it to generate one" }]
    : []),
  ...themeRefusals(input.theme ?? {}),
  ...imageRefusals(input.branding ?? {}),
  ...timezoneRefusals(input.settings?.timezone)
]
