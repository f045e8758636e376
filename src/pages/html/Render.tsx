/** Renders complete HTML documents: status pages, the not-found and unavailable notices, and the welcome page. */
import { DateTime } from "effect"
import { renderToString } from "preact-render-to-string"
import type { Language } from "../../../schema/page/Page.ts"
import { namedIn, type VisitorLocale, wordsIn } from "../../domain/page/Languages.ts"
import { showsUploads, uploadSources } from "../../domain/page/PageImages.ts"
import { mapInSteps, type Steps } from "../../domain/tools/Steps.ts"
import { isolated } from "../../domain/tools/text/Direction.ts"
import { firstCommands, firstPage } from "../../domain/workspace/FirstCommands.ts"
import { pageScript } from "../PageScript.ts"
import type { PublicView } from "../PublicView.ts"
import { type DocumentDraft, draftDocument, makeDocument, type WebDocument } from "../WebDocument.ts"
import { withParts } from "./Apart.ts"
import { ComponentRow } from "./Components.tsx"
import { contextOf, type PageContext } from "./Context.ts"
import { StatusIcon } from "./Icons.tsx"
import { renderSteps, textsOf } from "./Incidents.tsx"
import { PageHead } from "./PageHead.tsx"
import { htmlType, imageSources, renderShell } from "./Shell.tsx"
import { StatusPage } from "./StatusPage.tsx"

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
  readonly visitor: VisitorLocale
  readonly lastModified: string
  readonly stale: boolean
}

export function* renderPage(view: PublicView, { baseUrl, lastModified, stale, visitor }: RenderOptions): Steps<DocumentDraft> {
  const { page } = view
  const { description, name, seo, slug, theme, url } = page.page
  const customTitle = seo.title ?? undefined
  const title = customTitle ?? name
  const summary = seo.description ?? description ?? namedIn(visitor.language, isolated(name), page.statusText)
  const context = contextOf(view, visitor, stale)
  const rows = yield* renderRows(context)
  const incidents = [...page.incidents, ...page.maintenances, ...view.past]
  const uploads = showsUploads(page.page.branding, baseUrl) ? baseUrl : undefined
  const steps = yield* renderSteps(context, incidents, 4, uploads)
  const { contentSecurityPolicy, html } = renderShell({
    language: visitor.language,
    theme,
    // A custom title is used as it is; otherwise the browser tab shows the status.
    title: customTitle ?? `${page.statusText} · ${isolated(name)}`,
    script: pageScript,
    formTargets: [url],
    images: [
      ...imageSources(page.page.branding, baseUrl, url),
      ...uploadSources(page.page.branding, baseUrl, textsOf(incidents))
    ],
    head: (
      <>
        <PageHead page={page.page} status={page.status} title={title} summary={summary} url={url} />
        <link rel="alternate" type="application/json" href={`${baseUrl}/api/v1/public/pages/${slug}`} />
      </>
    ),
    body: <StatusPage context={context} />
  })
  yield
  return yield* draftDocument(withParts(html, new Map([...rows, ...steps])), {
    contentType: htmlType,
    contentSecurityPolicy,
    lastModified,
    volatile: [DateTime.formatIso(page.updatedAt), context.formats.full(page.updatedAt), context.formats.moment(page.updatedAt)]
  })
}

/**
 * Replaces a page that does not exist, or a status page that cannot be shown. It does not reveal whether the page exists. With `framed`,
 * one line in place of a widget on another site, where a browser would show an error of its own.
 */
export const renderNotice = (
  kind: "missing" | "notFound" | "unavailable",
  language: Language,
  framed = false
): WebDocument => {
  const words = wordsIn(language)
  const title = words[`${kind}Title`]
  const { contentSecurityPolicy, html } = renderShell({
    language,
    title,
    framed,
    head: <meta name="robots" content="noindex" />,
    body: framed ? <p class="embed">{words[`${kind}Text`]}</p> : (
      <main class="wrap alone">
        <StatusIcon status="unknown" />
        <h1>{title}</h1>
        <p>{words[`${kind}Text`]}</p>
        {kind === "unavailable" ? null : (
          <p>
            <a href="/">Belltower</a>
          </p>
        )}
      </main>
    )
  })
  return makeDocument(html, { contentType: htmlType, contentSecurityPolicy })
}

export const renderWelcome = (baseUrl: string): WebDocument => {
  const { contentSecurityPolicy, html } = renderShell({
    language: "en",
    title: "Belltower",
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
  return makeDocument(html, { contentType: htmlType, contentSecurityPolicy })
}
