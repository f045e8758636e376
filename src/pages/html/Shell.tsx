/** The frame of every document: its head, its style sheets, and a content security policy that allows nothing else. */
import "./TextMarkup.ts"
import type { ComponentChildren } from "preact"
import { renderToString } from "preact-render-to-string"
import type { Branding, Language, Theme } from "../../../schema/page/Page.ts"
import { parsedUrl } from "../../../schema/UrlText.ts"
import { linkUrl } from "../../domain/page/PublicUrl.ts"
import { confinedCss } from "../../domain/page/Theme.ts"
import { frameColors, themeStyle } from "../style/ThemeStyle.ts"
import { sourceHash } from "../WebDocument.ts"

export const htmlType = "text/html; charset=utf-8"

export interface Shell {
  readonly language: Language
  readonly theme?: Theme
  readonly title: string
  readonly head?: ComponentChildren
  readonly script?: string
  /** The images of the page's owner, see `imageSources`. A style sheet can load no others. */
  readonly images?: ReadonlyArray<string>
  /** Whether other sites may show the document in a frame. */
  readonly framed?: boolean
  /** URLs of the service to whose origins forms post; without any, to none. */
  readonly formTargets?: ReadonlyArray<string>
  readonly body: ComponentChildren
}

const Raw = ({ of }: { readonly of: string }) => <style dangerouslySetInnerHTML={{ __html: of }} />

/** A host without wildcards and separators of policies, which URLs allow in names. */
const plainHost = /^(?:[a-z0-9_-]+\.)*[a-z0-9_-]+$|^\[[0-9a-f:.]+\]$/

const originOf = (url: string): string | null => parsedUrl(url)?.origin ?? null

/**
 * Exactly this image (CSP level 3, section 2.3.1), which has no query there. None for a data URL, for a path that ends in a slash,
 * which would stand for all below it, and for an image at `homes`: after a redirect, its path would not matter.
 */
const imageSource = (image: string | null | undefined, homes: ReadonlyArray<string>): ReadonlyArray<string> => {
  const url = linkUrl(image)
  if (url === null) return []
  const { hostname, origin, pathname } = new URL(url)
  if (!plainHost.test(hostname) || pathname.endsWith("/") || homes.some((home) => originOf(home) === origin)) return []
  return [`${origin}${pathname.replaceAll(";", "%3B").replaceAll(",", "%2C")}`]
}

/**
 * The images that a style sheet of the page can load, as sources of a policy. `homes` are addresses of the service and of the page:
 * at their origins, each path answers, and would be called in the name of the visitor.
 */
export const imageSources = (
  { faviconUrl, logoDarkUrl, logoUrl }: Branding,
  ...homes: ReadonlyArray<string>
): ReadonlyArray<string> => [logoUrl, logoDarkUrl, faviconUrl].flatMap((image) => imageSource(image, homes))

/** A page is served at its own address and at the service's, so both may take its forms. */
const formSources = (targets: ReadonlyArray<string>) =>
  targets.length === 0
    ? "'none'"
    : ["'self'", ...new Set(targets.flatMap((url) => originOf(url) ?? []))].join(" ")

/** The document and a content security policy that allows only its own style sheets and script. */
export const renderShell = (
  { body, formTargets = [], framed = false, head, images = [], language, script, theme = {}, title }: Shell
) => {
  const styles = [themeStyle(theme), ...(theme.customCss ? [confinedCss(theme.customCss)] : [])]
  const frame = frameColors(theme)
  const html = renderToString(
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        <meta name="theme-color" media="(prefers-color-scheme: light)" content={frame.light} />
        <meta name="theme-color" media="(prefers-color-scheme: dark)" content={frame.dark} />
        {head}
        {styles.map((style) => <Raw of={style} />)}
      </head>
      <body>
        {body}
        {script === undefined ? null : <script dangerouslySetInnerHTML={{ __html: script }} />}
      </body>
    </html>
  )
  const contentSecurityPolicy = [
    "default-src 'none'",
    `style-src ${styles.map(sourceHash).join(" ")}`,
    ...(script === undefined ? [] : [`script-src ${sourceHash(script)}`, "connect-src 'self'"]),
    `img-src ${["data:", ...images].join(" ")}`,
    "font-src data:",
    "base-uri 'none'",
    `form-action ${formSources(formTargets)}`,
    framed ? "frame-ancestors *" : "frame-ancestors 'self'"
  ].join("; ")
  return { html: `<!doctype html>${html}`, contentSecurityPolicy }
}
