/** Renders whole HTML documents: a status page, the notice when there is none, and the welcome page. */
import { DateTime } from "effect"
import type { ComponentChildren } from "preact"
import { renderToString } from "preact-render-to-string"
import type { Language, Theme } from "../../../schema/page/Page.ts"
import { wordsIn } from "../../domain/page/Languages.ts"
import { imageUrl } from "../../domain/page/PublicUrl.ts"
import { confinedCss } from "../../domain/page/Theme.ts"
import { firstCommands, firstPage } from "../../domain/workspace/FirstCommands.ts"
import { makeFormats } from "../Formats.ts"
import { pageScript } from "../PageScript.ts"
import type { PublicView } from "../PublicView.ts"
import { frameColors, themeStyle } from "../style/ThemeStyle.ts"
import { makeDocument, sourceHash, type WebDocument } from "../WebDocument.ts"
import { statusFavicon, StatusIcon } from "./Icons.tsx"
import { StatusPage } from "./StatusPage.tsx"

const htmlType = "text/html; charset=utf-8"

interface Shell {
  readonly language: Language
  readonly theme: Theme
  readonly title: string
  readonly head?: ComponentChildren
  readonly scripted: boolean
  readonly body: ComponentChildren
}

const Raw = ({ of }: { readonly of: string }) => <style dangerouslySetInnerHTML={{ __html: of }} />

/** The document, and a policy that allows its own style sheets and script and nothing else. */
const renderShell = ({ body, head, language, scripted, theme, title }: Shell) => {
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
        {scripted ? <script dangerouslySetInnerHTML={{ __html: pageScript }} /> : null}
      </body>
    </html>
  )
  const contentSecurityPolicy = [
    "default-src 'none'",
    `style-src ${styles.map(sourceHash).join(" ")}`,
    ...(scripted ? [`script-src ${sourceHash(pageScript)}`, "connect-src 'self'"] : []),
    "img-src 'self' https: http: data:",
    "font-src https: data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
  return { html: `<!doctype html>${html}`, contentSecurityPolicy }
}

export interface RenderOptions {
  readonly baseUrl: string
  readonly language: Language
  readonly lastModified: string
  readonly stale: boolean
}

export const renderPage = (view: PublicView, { baseUrl, language, lastModified, stale }: RenderOptions): WebDocument => {
  const { page } = view
  const { branding, description, name, seo, settings, slug, theme, url } = page.page
  const formats = makeFormats(language, settings.timezone ?? "UTC")
  const ownTitle = seo.title?.trim() === "" ? undefined : seo.title
  const title = ownTitle ?? name
  const summary = seo.description ?? description ?? `${name}: ${page.statusText}`
  const favicon = imageUrl(branding.faviconUrl)
  const { contentSecurityPolicy, html } = renderShell({
    language,
    theme,
    // An owner's own title stands alone; else the browser's tab shows the status.
    title: ownTitle ?? `${page.statusText} · ${name}`,
    scripted: true,
    head: (
      <>
        <meta name="description" content={summary} />
        {seo.noindex === true ? <meta name="robots" content="noindex" /> : null}
        <link rel="canonical" href={url} />
        <link rel="alternate" type="application/json" href={`${baseUrl}/api/v1/public/pages/${slug}`} />
        <link rel="icon" href={favicon ?? statusFavicon(page.status, theme.preset)} />
        <meta property="og:title" content={title} />
        <meta property="og:description" content={summary} />
        <meta property="og:url" content={url} />
      </>
    ),
    body: <StatusPage context={{ ...view, words: wordsIn(language), formats, stale, at: page.updatedAt }} />
  })
  return makeDocument(html, {
    contentType: htmlType,
    contentSecurityPolicy,
    lastModified,
    volatile: [DateTime.formatIso(page.updatedAt), formats.moment(page.updatedAt)]
  })
}

/** A page in the service's own style that says why no status page is shown; it reveals nothing about what exists. */
export const renderNotice = (kind: "notFound" | "unavailable", language: Language): WebDocument => {
  const words = wordsIn(language)
  const title = words[`${kind}Title`]
  const { contentSecurityPolicy, html } = renderShell({
    language,
    theme: {},
    title,
    scripted: false,
    head: <meta name="robots" content="noindex" />,
    body: (
      <main class="wrap alone">
        <StatusIcon status="unknown" />
        <h1>{title}</h1>
        <p>{words[`${kind}Text`]}</p>
      </main>
    )
  })
  return makeDocument(html, { contentType: htmlType, contentSecurityPolicy, lastModified: null, volatile: [] })
}

/** The page at the service's own address: where things are, and the first commands. */
export const renderWelcome = (baseUrl: string): WebDocument => {
  const { contentSecurityPolicy, html } = renderShell({
    language: "en",
    theme: {},
    title: "Belltower",
    scripted: false,
    head: <link rel="icon" href="data:," />,
    body: (
      <main class="wrap welcome">
        <h1>Belltower</h1>
        <p>Uptime monitoring, status pages and incident communication, for agents and people. It is up and ready.</p>
        <h2>First steps</h2>
        {firstCommands(baseUrl).map((command) => <pre class="command"><code>{command}</code></pre>)}
        <p>
          The status page is then at <a href={firstPage(baseUrl)}>{firstPage(baseUrl)}</a>.
        </p>
        <h2>Where things are</h2>
        <ul>
          <li>
            Agents connect to <code>{baseUrl}/mcp</code> with a key, or to <code>{baseUrl}/mcp/public</code> without one.
          </li>
          <li>
            People <a href="/sign-in">sign in</a> once an agent has handed them its claim URL.
          </li>
          <li>
            The reference is at <a href="/docs">/docs</a>, for agents at <a href="/llms.txt">/llms.txt</a>.
          </li>
          <li>
            The interface is described at <a href="/api/v1/openapi.json">/api/v1/openapi.json</a> (OpenAPI 3.1).
          </li>
          <li>
            Health is at <a href="/readyz">/readyz</a>, Prometheus metrics are at <a href="/metrics">/metrics</a>.
          </li>
        </ul>
      </main>
    )
  })
  return makeDocument(html, { contentType: htmlType, contentSecurityPolicy, lastModified: null, volatile: [] })
}
