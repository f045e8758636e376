/** The forms in which a snapshot is shown, each rendered in steps. */
import { DateTime, Schema } from "effect"
import type { Language } from "../../schema/page/Page.ts"
import { PublicComponent, PublicPage } from "../../schema/page/PublicPage.ts"
import { languageOf } from "../domain/page/Languages.ts"
import type { Snapshot } from "../domain/page/Snapshot.ts"
import { mapInSteps, type Steps } from "../domain/Steps.ts"
import { renderPage } from "./html/Render.tsx"
import { type PublicView, publicView } from "./PublicView.ts"
import { type DocumentDraft, draftDocument } from "./WebDocument.ts"

/** One form of a snapshot. */
export type PageForm =
  | { readonly _tag: "Json"; readonly history: boolean }
  /** With `stale`, the page warns that it may be out of date. */
  | { readonly _tag: "Html"; readonly language: Language; readonly stale: boolean }

/** Identifies a form among those of its snapshot. */
export const formKey = (form: PageForm): string =>
  form._tag === "Json" ? `json ${form.history}` : `html ${form.language} ${form.stale}`

/** The page as visitors who accept these languages see it. */
export const htmlForm = (snapshot: Snapshot, acceptLanguage: string | undefined, stale: boolean): PageForm => ({
  _tag: "Html",
  language: languageOf(snapshot.page.settings.language, acceptLanguage),
  stale
})

const encodePage = Schema.encodeSync(PublicPage)
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

/** Renders a form. JSON is in the page's language, or in English if the page follows the visitor's language. */
export function* renderForm(snapshot: Snapshot, form: PageForm, baseUrl: string): Steps<DocumentDraft> {
  const lastModified = DateTime.toDateUtc(snapshot.at).toUTCString()
  if (form._tag === "Html") {
    const { language, stale } = form
    return yield* renderPage(publicView(snapshot, language, baseUrl), { baseUrl, language, lastModified, stale })
  }
  const view = publicView(snapshot, languageOf(snapshot.page.settings.language, undefined), baseUrl)
  return yield* draftDocument(yield* jsonOf(view, form.history), {
    contentType: "application/json",
    contentSecurityPolicy: null,
    lastModified,
    volatile: [DateTime.formatIso(snapshot.at)]
  })
}
