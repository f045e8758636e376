/** The paths below a status page, and the form that each of them shows. */
import { Effect, Option } from "effect"
import { NotFound, type Unavailable } from "../../schema/Errors.ts"
import { IncidentId } from "../../schema/Ids.ts"
import { languageOf } from "../domain/page/Languages.ts"
import { allTime, monthPeriod } from "../domain/page/Month.ts"
import type { Snapshot } from "../domain/page/Snapshot.ts"
import type { PublicIncidents } from "../operations/page/PublicIncidents.ts"
import type { PageForm } from "./PageForm.ts"
import { type V2Document, v2Documents } from "./StatuspageV2.ts"

/** A visit to one of the paths. */
export interface Visit {
  readonly snapshot: Snapshot
  readonly history: PublicIncidents
  readonly acceptLanguage: string | undefined
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

type Shown = Effect.Effect<PageForm, NotFound | Unavailable>

export interface PagePart {
  /** The path below the page's own. */
  readonly path: `/${string}`
  /** Whether programs on other sites may read it. */
  readonly shared: boolean
  readonly form: (visit: Visit) => Shown
}

const missing = new NotFound({ message: "This status page has no such part" })

/** The page's language, or the visitor's. */
const languageFor = ({ acceptLanguage, snapshot }: Visit) => languageOf(snapshot.page.settings.language, acceptLanguage)

/** How many incidents feeds and lists show. */
const recent = 50

const recentIncidents = ({ history, snapshot }: Visit, limit: number) =>
  Effect.map(
    history.between(snapshot, { ...allTime, limit }),
    ({ incidents }) => incidents
  )

/** Bounds what one document holds. */
const mostInMonth = 200

const month = (visit: Visit): Shown => {
  const { history, query, snapshot } = visit
  const asked = query["month"]
  const period = monthPeriod(typeof asked === "string" ? asked : undefined, snapshot.at, snapshot.page.settings.timezone)
  if (Option.isNone(period)) return Effect.fail(missing)
  const { before, from } = period.value
  return Effect.map(
    history.between(snapshot, { from, before, limit: mostInMonth }),
    ({ incidents }): PageForm => ({ _tag: "Month", language: languageFor(visit), period: period.value, incidents })
  )
}

const incident = (visit: Visit): Shown =>
  Effect.map(
    visit.history.one(visit.snapshot, IncidentId.make(visit.params["id"] ?? "")),
    (found): PageForm => ({ _tag: "Incident", language: languageFor(visit), incident: found })
  )

const feedOf = (kind: "rss" | "atom") => (visit: Visit): Shown =>
  visit.snapshot.page.settings.subscriptions.rss
    ? Effect.map(
      recentIncidents(visit, recent),
      (incidents): PageForm => ({ _tag: "Feed", kind, language: languageFor(visit), incidents })
    )
    : Effect.fail(missing)

const ofComponent = (form: (componentId: string, visit: Visit) => PageForm) => (visit: Visit): Shown => {
  const asked = visit.params["component"]
  const found = visit.snapshot.components.find(({ id, key }) => id === asked || key === asked)
  return found === undefined ? Effect.fail(missing) : Effect.succeed(form(found.id, visit))
}

const isV2 = (name: string): name is V2Document => Object.hasOwn(v2Documents, name)

const v2Parts: ReadonlyArray<PagePart> = Object.keys(v2Documents).filter(isV2).map((document) => ({
  path: `/api/v2/${document}.json`,
  shared: true,
  form: (visit) =>
    Effect.map(
      v2Documents[document].past ? recentIncidents(visit, 2 * recent) : Effect.succeed([]),
      (incidents): PageForm => ({ _tag: "V2", document, incidents })
    )
}))

const part = (path: `/${string}`, form: PagePart["form"], shared = false): PagePart => ({ path, form, shared })

export const pageParts: ReadonlyArray<PagePart> = [
  part("/history", month),
  part("/incidents/:id", incident),
  part("/feed.rss", feedOf("rss"), true),
  part("/feed.atom", feedOf("atom"), true),
  part("/status.png", () => Effect.succeed({ _tag: "Image" }), true),
  part("/badge.svg", (visit) => Effect.succeed({ _tag: "Badge", language: languageFor(visit), componentId: null }), true),
  part("/embed", (visit) => Effect.succeed({ _tag: "Embed", language: languageFor(visit) })),
  part(
    "/sitemap.xml",
    ({ history, snapshot }) => Effect.map(history.links(snapshot), (links): PageForm => ({ _tag: "Sitemap", links }))
  ),
  part("/robots.txt", () => Effect.succeed({ _tag: "Robots" })),
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
