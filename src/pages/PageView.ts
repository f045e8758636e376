/** Renders the forms of a snapshot in steps. */
import { DateTime, Schema } from "effect"
import { createHash } from "node:crypto"
import { PublicIncident } from "../../schema/incident/Incident.ts"
import type { Language } from "../../schema/page/Page.ts"
import { PublicComponent, PublicPage } from "../../schema/page/PublicPage.ts"
import { languageOf, type VisitorLocale, wordsIn } from "../domain/page/Languages.ts"
import type { Snapshot } from "../domain/page/snapshot/Snapshot.ts"
import { mapByWeight, mapInSteps, type Steps } from "../domain/tools/Steps.ts"
import { badge } from "./Badge.ts"
import { componentHistory } from "./ComponentHistory.ts"
import { feed } from "./Feeds.ts"
import { type FormRead, nothingRead } from "./FormReads.ts"
import { renderPage } from "./html/Render.tsx"
import { renderEmbed, renderIncident, renderMonth } from "./html/SubPages.tsx"
import type { PageForm } from "./PageForm.ts"
import { bareView, openView, type PublicView, shownIncidents, wholeView } from "./PublicView.ts"
import { shareImage } from "./ShareImage.ts"
import { robots, sitemap } from "./Sitemap.ts"
import { statuspageV2, v2Documents } from "./StatuspageV2.ts"
import { type DocumentDraft, draftDocument } from "./WebDocument.ts"

const encodePage = Schema.encodeSync(PublicPage)
const encodeIncident = Schema.encodeSync(PublicIncident)
const encodeComponent = Schema.encodeSync(PublicComponent)

/** Components that are encoded in one step; each may have 90 days. */
const encodedPerStep = 2

const separated = (texts: ReadonlyArray<string>) => texts.map((text, index) => index === 0 ? text : `,${text}`)

/** Characters of updates that are encoded in one step. */
const lengthPerStep = 64 * 1024

const lengthOf = ({ updates }: PublicIncident): number => updates.reduce((sum, { body }) => sum + body.length, 0)

function* incidentsJson(incidents: ReadonlyArray<PublicIncident>): Steps<ReadonlyArray<string>> {
  const encoded = yield* mapByWeight(incidents, lengthPerStep, lengthOf, (one) => JSON.stringify(encodeIncident(one)))
  return ["[", ...separated(encoded), "]"]
}

/** JSON with its components and incidents encoded apart, because they are nearly all of a large page. */
function* jsonOf({ page }: PublicView, history: boolean): Steps<ReadonlyArray<string>> {
  const components = yield* mapInSteps(
    page.components,
    encodedPerStep,
    (component) => JSON.stringify(encodeComponent(history ? component : { ...component, days: null }))
  )
  const apart = new Map([
    ["components", ["[", ...separated(components), "]"]],
    ["incidents", yield* incidentsJson(page.incidents)],
    ["maintenances", yield* incidentsJson(page.maintenances)]
  ])
  const rest = encodePage({ ...page, components: [], incidents: [], maintenances: [] })
  return [
    "{",
    ...Object.entries(rest).flatMap(([name, value], index) => [
      `${index === 0 ? "" : ","}${JSON.stringify(name)}:`,
      ...(apart.get(name) ?? [JSON.stringify(value)])
    ]),
    "}"
  ]
}

/** A document whose ETag ignores the time of the read. */
const textDocument = (snapshot: Snapshot, contentType: string, parts: ReadonlyArray<string>): Steps<DocumentDraft> => {
  const lastModified = DateTime.toDateUtc(snapshot.at).toUTCString()
  return draftDocument(parts, {
    contentType,
    lastModified,
    volatile: [DateTime.formatIso(snapshot.at), lastModified]
  })
}

const badgeOf = ({ page }: PublicView, componentId: string | null, language: Language): string => {
  const words = wordsIn(language)
  const component = page.components.find(({ id }) => id === componentId)
  return component === undefined
    ? badge(page.page.name, page.statusText, page.status, language)
    : badge(component.name, words.component[component.status], component.status, language)
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

type VisitorForm = Extract<PageForm, { readonly visitor: VisitorLocale }>

/** HTML, in the visitor's language and with the dates of the visitor's region. */
function* documentFor(
  snapshot: Snapshot,
  form: VisitorForm,
  { baseUrl, incidents, lastModified }: Pick<FormRead, "incidents"> & { readonly baseUrl: string; readonly lastModified: string }
): Steps<DocumentDraft> {
  const { visitor } = form
  const options = { visitor, lastModified, baseUrl }
  if (form._tag === "Html") {
    const view = yield* wholeView(snapshot, visitor.language, baseUrl)
    return yield* renderPage(view, { ...options, stale: form.stale })
  }
  const bare = bareView(snapshot, visitor.language, baseUrl)
  if (form._tag === "Embed") return yield* renderEmbed(bare, options)
  const shown = yield* shownIncidents(snapshot, incidents, visitor.language, baseUrl)
  return yield* form._tag === "Month" ? renderMonth(bare, options, shown, form.period) : renderIncident(bare, options, shown)
}

/** Renders a form. JSON is in the page's language, or in English if the page follows the visitor's language. */
export function* renderForm(
  snapshot: Snapshot,
  form: PageForm,
  baseUrl: string,
  { incidents, links, next }: FormRead = nothingRead
): Steps<DocumentDraft> {
  const lastModified = DateTime.toDateUtc(snapshot.at).toUTCString()
  const bareIn = (language: Language) => bareView(snapshot, language, baseUrl)
  const shownIn = (language: Language) => shownIncidents(snapshot, incidents, language, baseUrl)
  const jsonDocument = (parts: ReadonlyArray<string>) => textDocument(snapshot, "application/json", parts)
  const own = languageOf(snapshot.page.settings.language, undefined)
  switch (form._tag) {
    case "Json":
      return yield* jsonDocument(yield* jsonOf(yield* openView(snapshot, own, baseUrl), form.history))
    case "Html":
    case "Month":
    case "Incident":
    case "Embed":
      return yield* documentFor(snapshot, form, { baseUrl, lastModified, incidents })
    case "IncidentList": {
      const data = yield* incidentsJson(yield* shownIn(own))
      const end = next === null ? null : DateTime.formatIso(next)
      return yield* jsonDocument([`{"data":`, ...data, `,"next":${JSON.stringify(end)}}`])
    }
    case "IncidentJson":
      return yield* jsonDocument((yield* shownIn(own)).map((one) => JSON.stringify(encodeIncident(one))))
    case "Feed": {
      const text = yield* feed(form.kind, bareIn(form.language), yield* shownIn(form.language), form.language)
      return yield* textDocument(snapshot, `application/${form.kind}+xml; charset=utf-8`, [text])
    }
    case "V2": {
      const view = v2Documents[form.document].open ? yield* openView(snapshot, own, baseUrl) : bareIn(own)
      const document = yield* statuspageV2(form.document, view, yield* shownIn(own))
      return yield* jsonDocument([JSON.stringify(document)])
    }
    case "Badge":
      return yield* textDocument(snapshot, "image/svg+xml; charset=utf-8", [
        badgeOf(bareIn(form.language), form.componentId, form.language)
      ])
    case "History": {
      const texts = bareIn(own).page.components.filter(({ id }) => id === form.componentId)
        .map((component) => componentHistory(form.format, component))
      return yield* textDocument(snapshot, form.format === "csv" ? "text/csv; charset=utf-8" : "application/json", texts)
    }
    case "Image":
      return imageDocument(snapshot)
    case "Sitemap":
      return yield* textDocument(snapshot, "application/xml; charset=utf-8", [sitemap(bareIn(own), links)])
    case "Robots":
      return yield* textDocument(snapshot, "text/plain; charset=utf-8", [robots(bareIn(own))])
  }
}
