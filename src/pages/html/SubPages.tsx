/** Renders the documents below a status page: its history by month, single incidents, and the embeddable widget. */
import type { ComponentChildren } from "preact"
import type { EffectiveStatus } from "../../../schema/component/Component.ts"
import type { PublicIncident } from "../../../schema/incident/Incident.ts"
import type { Language, Theme } from "../../../schema/page/Page.ts"
import { markdownText } from "../../domain/markdown/MarkdownText.ts"
import { type VisitorLocale, wordsIn } from "../../domain/page/Languages.ts"
import type { MonthPeriod } from "../../domain/page/Month.ts"
import { showsUploads, uploadSources } from "../../domain/page/PageImages.ts"
import type { Steps } from "../../domain/tools/Steps.ts"
import { isolated } from "../../domain/tools/text/Direction.ts"
import { cut } from "../../domain/tools/text/TrimText.ts"
import { embedScript } from "../EmbedScript.ts"
import type { PublicView } from "../PublicView.ts"
import { type DocumentDraft, draftDocument, makeDocument } from "../WebDocument.ts"
import { withParts } from "./Apart.ts"
import { contextOf } from "./Context.ts"
import { HistoryPage, IncidentPage } from "./HistoryPages.tsx"
import { StatusIcon } from "./Icons.tsx"
import { renderNewest, renderSteps, textsOf } from "./Incidents.tsx"
import { PageHead } from "./PageHead.tsx"
import { htmlType, imageSources, renderShell } from "./Shell.tsx"

/** The address of the service whose uploaded images the page shows. */
const uploadsOn = ({ branding }: PublicView["page"]["page"], baseUrl: string): string | undefined =>
  showsUploads(branding, baseUrl) ? baseUrl : undefined

export interface SubPageOptions {
  readonly baseUrl: string
  readonly visitor: VisitorLocale
  readonly lastModified: string
}

const document = (
  { page: { page, status } }: PublicView,
  { baseUrl, lastModified, visitor }: SubPageOptions,
  { apart = new Map(), body, framed = false, incidents = [], script, summary, title, url }: {
    readonly body: ComponentChildren
    readonly framed?: boolean
    readonly script?: string
    readonly summary: string
    readonly title: string
    readonly url: string
    /** HTML of parts, by `placeholderOf` id. */
    readonly apart?: ReadonlyMap<string, string>
    readonly incidents?: ReadonlyArray<PublicIncident>
  }
): Steps<DocumentDraft> => {
  const { contentSecurityPolicy, html } = renderShell({
    language: visitor.language,
    theme: page.theme,
    title,
    framed,
    ...(script === undefined ? {} : { script }),
    images: [
      ...imageSources(page.branding, baseUrl, page.url),
      ...uploadSources(page.branding, baseUrl, textsOf(incidents))
    ],
    head: <PageHead page={page} status={status} title={title} summary={summary} url={url} />,
    body
  })
  return draftDocument(withParts(html, apart), { contentType: htmlType, contentSecurityPolicy, lastModified })
}

export function* renderMonth(
  view: PublicView,
  options: SubPageOptions,
  incidents: ReadonlyArray<PublicIncident>,
  period: MonthPeriod
): Steps<DocumentDraft> {
  const context = contextOf(view, options.visitor, false)
  const { page } = view.page
  const title = `${context.words.incidentHistory}, ${context.formats.month(period.month)} · ${isolated(page.name)}`
  return yield* document(view, options, {
    apart: yield* renderNewest(incidents, uploadsOn(page, options.baseUrl)),
    incidents,
    title,
    summary: title,
    url: `${page.url}/history?month=${period.month}`,
    body: <HistoryPage context={context} incidents={incidents} period={period} />
  })
}

/** The newest update as one line, for search engines and messengers. */
const summaryOf = (incident: PublicIncident | undefined): string | undefined => {
  const last = incident?.updates.at(-1)
  return last === undefined ? undefined : cut(markdownText(last.body).replace(/\s+/g, " "), 300)
}

/** `incidents` has one element. */
export function* renderIncident(
  view: PublicView,
  options: SubPageOptions,
  incidents: ReadonlyArray<PublicIncident>
): Steps<DocumentDraft> {
  const context = contextOf(view, options.visitor, false)
  const { page } = view.page
  const [incident] = incidents
  const title = incident?.title ?? page.name
  return yield* document(view, options, {
    apart: yield* renderSteps(context, incidents, 3, uploadsOn(page, options.baseUrl)),
    incidents,
    title: `${isolated(title)} · ${isolated(page.name)}`,
    summary: summaryOf(incident) ?? title,
    url: incident?.url ?? page.url,
    body: incidents.map((one) => <IncidentPage context={context} incident={one} />)
  })
}

const EmbedLine = ({ hidden, status, text, url }: {
  readonly hidden: boolean
  readonly status: EffectiveStatus
  readonly text: string
  readonly url: string
}) => (
  <p class={`embed s-${status}`} hidden={hidden}>
    <a href={url} target="_blank" rel="noopener">
      <StatusIcon status={status} />
      <span>{text}</span>
    </a>
  </p>
)

/** In place of the widget of a page that asks for a password, which a frame on another site cannot take: a link to the page. */
export const renderLockedEmbed = ({ theme, url }: { readonly theme: Theme; readonly url: string }, language: Language) => {
  const title = wordsIn(language).passwordTitle
  const { contentSecurityPolicy, html } = renderShell({
    language,
    theme,
    title,
    framed: true,
    head: <meta name="robots" content="noindex" />,
    body: <EmbedLine hidden={false} status="unknown" text={title} url={url} />
  })
  return makeDocument(html, { contentType: htmlType, contentSecurityPolicy })
}

/** One line with the status, for a frame on another site, and the one that its script shows when the status is old. */
export const renderEmbed = (view: PublicView, options: SubPageOptions): Steps<DocumentDraft> => {
  const { page, status, statusText } = view.page
  return document(view, options, {
    title: `${statusText} · ${isolated(page.name)}`,
    summary: statusText,
    url: page.url,
    framed: true,
    script: embedScript,
    body: (
      <>
        <EmbedLine hidden={false} status={status} text={statusText} url={page.url} />
        <EmbedLine hidden status="unknown" text={wordsIn(options.visitor.language).outOfDate} url={page.url} />
      </>
    )
  })
}
