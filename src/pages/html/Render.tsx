/** Renders complete HTML documents: status pages, the not-found and unavailable notices, and the welcome page. */
import { DateTime } from "effect"
import type { ComponentChildren } from "preact"
import { renderToString } from "preact-render-to-string"
import type { Language, Theme } from "../../../schema/page/Page.ts"
import { wordsIn } from "../../domain/page/Languages.ts"
import { imageUrl } from "../../domain/page/PublicUrl.ts"
import { confinedCss } from "../../domain/page/Theme.ts"
import { mapInSteps, type Steps } from "../../domain/Steps.ts"
import { firstCommands, firstPage } from "../../domain/workspace/FirstCommands.ts"
import { makeFormats } from "../Formats.ts"
import { pageScript } from "../PageScript.ts"
import type { PublicView } from "../PublicView.ts"
import { frameColors, themeStyle } from "../style/ThemeStyle.ts"
import { type DocumentDraft, draftDocument, makeDocument, sourceHash, type WebDocument } from "../WebDocument.ts"
import { ComponentRow, withRows } from "./Components.tsx"
import type { PageContext } from "./Context.ts"
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

/** The document and a content security policy that allows only its own style sheets and script. */
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

/** Components that are rendered in one step; each may have 90 bars. */
const rowsPerStep = 2

/** The rows of a page's components by id, rendered apart because they are nearly all of a large page. */
function* renderRows(context: PageContext): Steps<ReadonlyMap<string, string>> {
  const { components } = context
  const rows = yield* mapInSteps(
    components,
    rowsPerStep,
    (component) => renderToString(<ComponentRow component={component} context={context} />)
  )
  yield
  return new Map(components.map(({ id }, index) => [id, rows[index] ?? ""]))
}

export interface RenderOptions {
  readonly baseUrl: string
  readonly language: Language
  readonly lastModified: string
  readonly stale: boolean
}

export function* renderPage(view: PublicView, { baseUrl, language, lastModified, stale }: RenderOptions): Steps<DocumentDraft> {
  const { page } = view
  const { branding, description, name, seo, settings, slug, theme, url } = page.page
  const formats = makeFormats(language, settings.timezone ?? "UTC")
  const customTitle = seo.title?.trim() === "" ? undefined : seo.title
  const title = customTitle ?? name
  const summary = seo.description ?? description ?? `${name}: ${page.statusText}`
  const favicon = imageUrl(branding.faviconUrl)
  const context = { ...view, words: wordsIn(language), formats, stale, at: page.updatedAt }
  const rows = yield* renderRows(context)
  const { contentSecurityPolicy, html } = renderShell({
    language,
    theme,
    // A custom title is used as it is; otherwise the browser tab shows the status.
    title: customTitle ?? `${page.statusText} · ${name}`,
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
    body: <StatusPage context={context} />
  })
  yield
  return yield* draftDocument(withRows(html, rows), {
    contentType: htmlType,
    contentSecurityPolicy,
    lastModified,
    volatile: [DateTime.formatIso(page.updatedAt), formats.moment(page.updatedAt)]
  })
}

/** Replaces a status page that cannot be shown. It does not reveal whether the page exists. */
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

/** The welcome page at `/`: first commands and links. */
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
        <p>Uptime monitoring, status pages and incident communication, for agents and people. This server is running.</p>
        <h2>First steps</h2>
        {firstCommands(baseUrl).map((command) => <pre class="command"><code>{command}</code></pre>)}
        <p>
          Your status page is then at <a href={firstPage(baseUrl)}>{firstPage(baseUrl)}</a>.
        </p>
        <h2>Links</h2>
        <ul>
          <li>
            Agents connect to <code>{baseUrl}/mcp</code> with an API key, or to <code>{baseUrl}/mcp/public</code> without one.
          </li>
          <li>
            People open the claim URL that an agent gives them, or <a href="/sign-in">sign in</a>.
          </li>
          <li>
            Documentation: <a href="/docs">/docs</a>, and <a href="/llms.txt">/llms.txt</a> for agents.
          </li>
          <li>
            OpenAPI 3.1 document: <a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.
          </li>
          <li>
            Health: <a href="/readyz">/readyz</a>. Prometheus metrics: <a href="/metrics">/metrics</a>.
          </li>
        </ul>
      </main>
    )
  })
  return makeDocument(html, { contentType: htmlType, contentSecurityPolicy, lastModified: null, volatile: [] })
}
