/** The rendered forms of a snapshot; each is rendered on first use and then cached. */
import { DateTime, Schema } from "effect"
import type { Language } from "../../schema/page/Page.ts"
import { PublicPage } from "../../schema/page/PublicPage.ts"
import { languageOf } from "../domain/page/Languages.ts"
import type { Snapshot } from "../domain/page/Snapshot.ts"
import { renderPage } from "./html/Render.tsx"
import { type PublicView, publicView } from "./PublicView.ts"
import { makeDocument, type WebDocument } from "./WebDocument.ts"

export interface PageView {
  /** For JSON: in the page's language, or in English if the page follows the visitor's language. */
  readonly view: PublicView
  readonly json: (history: boolean) => WebDocument
  /** With `stale`, the page warns that it may be out of date. */
  readonly html: (acceptLanguage: string | undefined, stale: boolean) => WebDocument
}

const encode = Schema.encodeSync(Schema.parseJson(PublicPage))

const memo = <Key, Value>(make: (key: Key) => Value) => {
  const cache = new Map<Key, Value>()
  return (key: Key): Value => {
    const known = cache.get(key)
    if (known !== undefined) return known
    const value = make(key)
    cache.set(key, value)
    return value
  }
}

export const makePageView = (snapshot: Snapshot, baseUrl: string): PageView => {
  const setting = snapshot.page.settings.language
  const view = publicView(snapshot, languageOf(setting, undefined), baseUrl)
  const lastModified = DateTime.toDateUtc(snapshot.at).toUTCString()
  const json = memo((history: boolean) => {
    const page = history
      ? view.page
      : { ...view.page, components: view.page.components.map((component) => ({ ...component, days: null })) }
    return makeDocument(encode(page), {
      contentType: "application/json",
      contentSecurityPolicy: null,
      lastModified,
      volatile: [DateTime.formatIso(snapshot.at)]
    })
  })
  const html = (stale: boolean) =>
    memo((language: Language) => renderPage(publicView(snapshot, language, baseUrl), { baseUrl, language, lastModified, stale }))
  const current = html(false)
  const outdated = html(true)
  return {
    view,
    json,
    html: (acceptLanguage, stale) => (stale ? outdated : current)(languageOf(setting, acceptLanguage))
  }
}
