/** The paths below a status page, and the form that each of them shows. */
import { Either, Option } from "effect"
import { NotFound } from "../../schema/Errors.ts"
import { IncidentId } from "../../schema/Ids.ts"
import { languageOf, visitorLocale } from "../domain/page/Languages.ts"
import { monthPeriod } from "../domain/page/Month.ts"
import type { Snapshot } from "../domain/page/snapshot/Snapshot.ts"
import type { PageForm } from "./PageForm.ts"
import { type V2Document, v2Documents } from "./StatuspageV2.ts"

export interface Visit {
  readonly snapshot: Snapshot
  readonly acceptLanguage: string | undefined
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

type Shown = Either.Either<PageForm, NotFound>

export interface PagePart {
  /** The path below the page's own. */
  readonly path: `/${string}`
  /** Whether programs on other sites may read it. */
  readonly shared: boolean
  /** Whether other sites may show it in a frame. */
  readonly framed: boolean
  readonly form: (visit: Visit) => Shown
}

const missing = new NotFound({ message: "This status page has no such part" })

/** The page's language, or the visitor's. */
const languageFor = ({ acceptLanguage, snapshot }: Visit) => languageOf(snapshot.page.settings.language, acceptLanguage)

const visitorOf = ({ acceptLanguage, snapshot }: Visit) => visitorLocale(snapshot.page.settings.language, acceptLanguage)

const month = (visit: Visit): Shown => {
  const { query, snapshot } = visit
  const asked = query["month"]
  return Option.match(
    monthPeriod(typeof asked === "string" ? asked : undefined, snapshot.at, snapshot.page.settings.timezone),
    {
      onNone: () => Either.left(missing),
      onSome: (period) => Either.right({ _tag: "Month", visitor: visitorOf(visit), period })
    }
  )
}

const incident = (visit: Visit): Shown =>
  Either.right({ _tag: "Incident", visitor: visitorOf(visit), id: IncidentId.make(visit.params["id"] ?? "") })

const feedOf = (kind: "rss" | "atom") => (visit: Visit): Shown =>
  visit.snapshot.page.settings.subscriptions.rss
    ? Either.right({ _tag: "Feed", kind, language: languageFor(visit) })
    : Either.left(missing)

const ofComponent = (form: (componentId: string, visit: Visit) => PageForm) => (visit: Visit): Shown => {
  const asked = visit.params["component"]
  const found = visit.snapshot.components.find(({ id, key }) => id === asked || key === asked)
  return found === undefined ? Either.left(missing) : Either.right(form(found.id, visit))
}

const isV2 = (name: string): name is V2Document => Object.hasOwn(v2Documents, name)

const v2Parts: ReadonlyArray<PagePart> = Object.keys(v2Documents).filter(isV2).map((document) => ({
  path: `/api/v2/${document}.json`,
  shared: true,
  framed: false,
  form: () => Either.right({ _tag: "V2", document })
}))

const part = (path: `/${string}`, form: PagePart["form"], shared = false): PagePart => ({
  path,
  form,
  shared,
  framed: path === "/embed"
})

export const pageParts: ReadonlyArray<PagePart> = [
  part("/history", month),
  part("/incidents/:id", incident),
  part("/feed.rss", feedOf("rss"), true),
  part("/feed.atom", feedOf("atom"), true),
  part("/status.png", () => Either.right({ _tag: "Image" }), true),
  part("/badge.svg", (visit) => Either.right({ _tag: "Badge", language: languageFor(visit), componentId: null }), true),
  part("/embed", (visit) => Either.right({ _tag: "Embed", visitor: visitorOf(visit) })),
  part("/sitemap.xml", () => Either.right({ _tag: "Sitemap" })),
  part("/robots.txt", () => Either.right({ _tag: "Robots" })),
  part(
    "/components/:component/badge.svg",
    ofComponent((componentId, visit) => ({ _tag: "Badge", language: languageFor(visit), componentId })),
    true
  ),
  part(
    "/components/:component/history.csv",
    ofComponent((componentId) => ({ _tag: "History", format: "csv", componentId })),
    true
  ),
  part(
    "/components/:component/history.json",
    ofComponent((componentId) => ({ _tag: "History", format: "json", componentId })),
    true
  ),
  ...v2Parts
]
