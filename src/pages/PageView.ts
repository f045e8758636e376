/** Renders the forms of a snapshot in steps. */
import { DateTime, Schema } from "effect"
import { createHash } from "node:crypto"
import { PublicIncident } from "../../schema/incident/Incident.ts"
import type { Language } from "../../schema/page/Page.ts"
import { PublicComponent, PublicPage } from "../../schema/page/PublicPage.ts"
import { languageOf, wordsIn } from "../domain/page/Languages.ts"
import type { Snapshot } from "../domain/page/Snapshot.ts"
import { mapInSteps, type Steps } from "../domain/Steps.ts"
import { badge } from "./Badge.ts"
import { componentHistory } from "./ComponentHistory.ts"
import { feed } from "./Feeds.ts"
import { renderPage } from "./html/Render.tsx"
import { renderEmbed, renderIncident, renderMonth } from "./html/SubPages.tsx"
import type { PageForm } from "./PageForm.ts"
import { incidentView, type PublicView, publicView } from "./PublicView.ts"
import { shareImage } from "./ShareImage.ts"
import { robots, sitemap } from "./Sitemap.ts"
import { statuspageV2 } from "./StatuspageV2.ts"
import { type DocumentDraft, draftDocument } from "./WebDocument.ts"

const encodePage = Schema.encodeSync(PublicPage)
const encodeIncident = Schema.encodeSync(PublicIncident)
const encodeComponent = Schema.encodeSync(PublicComponent)

/** Components that are encoded in one step; each may have 90 days. */
const encodedPerStep = 2

const separated = (texts: ReadonlyArray<string>) => texts.map((text, index) => index === 0 ? text : `,${text}`)

/** JSON with its components encoded apart, because they are nearly all of a large page. */
function* jsonOf({ page }: PublicView, history: boolean): Steps<ReadonlyArray<string>> {
  const components = yield* mapInSteps(
    page.components,
    encodedPerStep,
    (component) => JSON.stringify(encodeComponent(history ? component : { ...component, days: null }))
  )
  return [
    "{",
    ...Object.entries(encodePage({ ...page, components: [] })).flatMap(([name, value], index) => [
      `${index === 0 ? "" : ","}${JSON.stringify(name)}:`,
      ...(name === "components" ? ["[", ...separated(components), "]"] : [JSON.stringify(value)])
    ]),
    "}"
  ]
}

/** A document whose ETag ignores the time of the read. */
const textDocument = (snapshot: Snapshot, contentType: string, parts: ReadonlyArray<string>): Steps<DocumentDraft> => {
  const lastModified = DateTime.toDateUtc(snapshot.at).toUTCString()
  return draftDocument(parts, {
    contentType,
    contentSecurityPolicy: null,
    lastModified,
    volatile: [DateTime.formatIso(snapshot.at), lastModified]
  })
}

const badgeOf = ({ page }: PublicView, componentId: string | null, language: Language): string => {
  const words = wordsIn(language)
  const component = page.components.find(({ id }) => id === componentId)
  return component === undefined
    ? badge(page.page.name, page.statusText, page.status)
    : badge(component.name, words.component[component.status], component.status)
}

const imageDocument = (snapshot: Snapshot): DocumentDraft => {
  const body = shareImage(snapshot)
  return {
    contentType: "image/png",
    contentSecurityPolicy: null,
    lastModified: DateTime.toDateUtc(snapshot.at).toUTCString(),
    etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`,
    body
  }
}

/** Renders a form. JSON is in the page's language, or in English if the page follows the visitor's language. */
export function* renderForm(snapshot: Snapshot, form: PageForm, baseUrl: string): Steps<DocumentDraft> {
  const lastModified = DateTime.toDateUtc(snapshot.at).toUTCString()
  const viewIn = (language: Language) => publicView(snapshot, language, baseUrl)
  const shownIn = (language: Language) => incidentView(snapshot, language, baseUrl)
  const own = languageOf(snapshot.page.settings.language, undefined)
  switch (form._tag) {
    case "Json":
      return yield* textDocument(snapshot, "application/json", yield* jsonOf(viewIn(own), form.history))
    case "Html":
      return yield* renderPage(viewIn(form.language), { baseUrl, language: form.language, lastModified, stale: form.stale })
    case "Month": {
      const incidents = form.incidents.map(shownIn(form.language))
      return yield* renderMonth(viewIn(form.language), { language: form.language, lastModified }, incidents, form.period)
    }
    case "Incident": {
      const incident = shownIn(form.language)(form.incident)
      return yield* renderIncident(viewIn(form.language), { language: form.language, lastModified }, incident)
    }
    case "IncidentList": {
      const data = form.incidents.map(shownIn(own)).map((one) => encodeIncident(one))
      const next = form.next === null ? null : DateTime.formatIso(form.next)
      return yield* textDocument(snapshot, "application/json", [JSON.stringify({ data, next })])
    }
    case "IncidentJson":
      return yield* textDocument(snapshot, "application/json", [JSON.stringify(encodeIncident(shownIn(own)(form.incident)))])
    case "Embed":
      return yield* renderEmbed(viewIn(form.language), { language: form.language, lastModified })
    case "Feed": {
      const text = feed(form.kind, viewIn(form.language), form.incidents.map(shownIn(form.language)), form.language)
      return yield* textDocument(snapshot, `application/${form.kind}+xml; charset=utf-8`, [text])
    }
    case "V2": {
      const document = statuspageV2(form.document, viewIn(own), form.incidents.map(shownIn(own)))
      return yield* textDocument(snapshot, "application/json", [JSON.stringify(document)])
    }
    case "Badge":
      return yield* textDocument(snapshot, "image/svg+xml; charset=utf-8", [
        badgeOf(viewIn(form.language), form.componentId, form.language)
      ])
    case "History": {
      const texts = viewIn(own).page.components.filter(({ id }) => id === form.componentId)
        .map((component) => componentHistory(form.format, component))
      return yield* textDocument(snapshot, form.format === "csv" ? "text/csv; charset=utf-8" : "application/json", texts)
    }
    case "Image":
      return imageDocument(snapshot)
    case "Sitemap":
      return yield* textDocument(snapshot, "application/xml; charset=utf-8", [
        sitemap(viewIn(own), form.incidents.map(shownIn(own)))
      ])
    case "Robots":
      return yield* textDocument(snapshot, "text/plain; charset=utf-8", [robots(viewIn(own))])
  }
}
