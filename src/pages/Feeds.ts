/** The incidents of a page as RSS 2.0 and as Atom (RFC 4287). */
import { DateTime } from "effect"
import type { PublicIncident } from "../../schema/incident/Incident.ts"
import type { Language } from "../../schema/page/Page.ts"
import { namesOf } from "../domain/incident/ComponentOutage.ts"
import { markdownHtml } from "../domain/markdown/MarkdownHtml.ts"
import { readMarkdown } from "../domain/markdown/ReadMarkdown.ts"
import { wordsIn } from "../domain/page/Languages.ts"
import type { Steps } from "../domain/tools/Steps.ts"
import { isolated } from "../domain/tools/text/Direction.ts"
import { xmlText } from "../domain/tools/text/XmlText.ts"
import { momentsIn } from "../domain/tools/time/Moments.ts"
import type { PublicView } from "./PublicView.ts"
import { updateTexts } from "./UpdateTexts.ts"

export type FeedKind = "rss" | "atom"

interface Entry {
  readonly url: string
  readonly title: string
  readonly published: DateTime.Utc
  readonly changed: DateTime.Utc
  /** HTML: when a maintenance is planned, what is affected, and the updates, newest first. */
  readonly html: string
}

/** The facts that mails tell, too: the time of a maintenance, and the names of what is affected. */
const factsIn = ({ components, page: { page } }: PublicView, language: Language) => {
  const moments = momentsIn(language, page.settings.timezone ?? "UTC", "zonedDated")
  const names = new Intl.ListFormat(language, { style: "long", type: "conjunction" })
  return ({ components: affected, scheduledEnd, scheduledStart }: PublicIncident): ReadonlyArray<string> => {
    const ids = new Set<string>(affected.map(({ componentId }) => componentId))
    const known = namesOf(components.filter(({ id }) => ids.has(id)))
    return [
      ...(scheduledStart === null || scheduledEnd === null
        ? []
        : [moments.formatRange(DateTime.toEpochMillis(scheduledStart), DateTime.toEpochMillis(scheduledEnd))]),
      ...(known.length === 0 ? [] : [wordsIn(language).affects(names.format(known.map(isolated)))])
    ]
  }
}

function* entriesOf(
  view: PublicView,
  incidents: ReadonlyArray<PublicIncident>,
  language: Language
): Steps<ReadonlyArray<Entry>> {
  const { progress } = wordsIn(language)
  const timezone = view.page.page.settings.timezone ?? "UTC"
  const factsOf = factsIn(view, language)
  const written = yield* updateTexts(
    incidents,
    ({ at, body, status }) =>
      `<p><small>${xmlText(momentsIn(language, timezone, "zonedDated").format(DateTime.toEpochMillis(at)))}</small><br>` +
      `<strong>${xmlText(progress[status])}</strong></p>` + markdownHtml(readMarkdown(body), { heading: 3 })
  )
  return incidents.map((incident) => {
    const { startedAt, title, updates, url } = incident
    return {
      url,
      title,
      // A maintenance starts after it is announced.
      published: DateTime.min(startedAt, updates[0]?.at ?? startedAt),
      changed: updates.at(-1)?.at ?? startedAt,
      html: [...factsOf(incident).map((fact) => `<p>${xmlText(fact)}</p>`), ...[...updates].reverse().map(written)].join("")
    }
  })
}

const rss = ({ page: { page, updatedAt } }: PublicView, entries: ReadonlyArray<Entry>, language: Language): string =>
  `<?xml version="1.0" encoding="utf-8"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>` +
  `<title>${xmlText(page.name)}</title><link>${xmlText(page.url)}</link>` +
  `<description>${xmlText(page.description ?? page.name)}</description><language>${language}</language>` +
  `<lastBuildDate>${DateTime.toDateUtc(updatedAt).toUTCString()}</lastBuildDate>` +
  `<atom:link href="${xmlText(`${page.url}/feed.rss`)}" rel="self" type="application/rss+xml"/>` +
  entries.map(({ changed, html, title, url }) =>
    `<item><title>${xmlText(title)}</title><link>${xmlText(url)}</link><guid isPermaLink="true">${xmlText(url)}</guid>` +
    `<pubDate>${DateTime.toDateUtc(changed).toUTCString()}</pubDate><description>${xmlText(html)}</description></item>`
  ).join("") +
  `</channel></rss>`

const atom = ({ page: { page, updatedAt } }: PublicView, entries: ReadonlyArray<Entry>, language: Language): string =>
  `<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">` +
  `<id>${xmlText(page.url)}</id><title>${xmlText(page.name)}</title><link href="${xmlText(page.url)}"/>` +
  `<link rel="self" href="${xmlText(`${page.url}/feed.atom`)}"/><updated>${
    DateTime.formatIso(entries.reduce((last, { changed }) => DateTime.max(last, changed), entries[0]?.changed ?? updatedAt))
  }</updated>` +
  `<author><name>${xmlText(page.name)}</name></author>` +
  entries.map(({ changed, html, published, title, url }) =>
    `<entry><id>${xmlText(url)}</id><title>${xmlText(title)}</title><link href="${xmlText(url)}"/>` +
    `<published>${DateTime.formatIso(published)}</published><updated>${DateTime.formatIso(changed)}</updated>` +
    `<content type="html">${xmlText(html)}</content></entry>`
  ).join("") +
  `</feed>`

/** `incidents` are newest first. */
export function* feed(
  kind: FeedKind,
  view: PublicView,
  incidents: ReadonlyArray<PublicIncident>,
  language: Language
): Steps<string> {
  const entries = yield* entriesOf(view, incidents, language)
  return kind === "rss" ? rss(view, entries, language) : atom(view, entries, language)
}
