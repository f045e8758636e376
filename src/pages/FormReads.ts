/** Reads the incidents of a form that the snapshot does not hold. */
import { type DateTime, Effect } from "effect"
import type { NotFound, Unavailable } from "../../schema/Errors.ts"
import { allTime } from "../domain/page/Month.ts"
import type { PageIncident } from "../domain/page/PageIncident.ts"
import type { Snapshot } from "../domain/page/snapshot/Snapshot.ts"
import type { IncidentLink, PublicIncidents } from "../operations/page/PublicIncidents.ts"
import type { PageForm } from "./PageForm.ts"
import { v2Documents } from "./StatuspageV2.ts"

export interface FormRead {
  /** Newest first. */
  readonly incidents: ReadonlyArray<PageIncident>
  /** The incidents before this time are not in it; null if there are none. */
  readonly next: DateTime.Utc | null
  readonly links: ReadonlyArray<IncidentLink>
}

export const nothingRead: FormRead = { incidents: [], next: null, links: [] }

/** How many incidents feeds and lists show. */
const recent = 50

/** Bounds what one document holds. */
const mostInMonth = 200

type Read = Effect.Effect<FormRead, NotFound | Unavailable>

/** The read that a form needs; null for one that shows the snapshot alone. */
export const readOf = (history: PublicIncidents, snapshot: Snapshot, form: PageForm): Read | null => {
  const between = (period: Parameters<PublicIncidents["between"]>[1]): Read =>
    Effect.map(history.between(snapshot, period), (found) => ({ ...nothingRead, ...found }))
  switch (form._tag) {
    case "Month":
      return between({ from: form.period.from, before: form.period.before, limit: mostInMonth })
    case "IncidentList":
      return between({ ...allTime, ...(form.before === null ? {} : { before: form.before }), limit: form.limit })
    case "Incident":
    case "IncidentJson":
      return Effect.map(history.one(snapshot, form.id), (incident) => ({ ...nothingRead, incidents: [incident] }))
    case "Feed":
      return between({ ...allTime, limit: recent })
    case "V2":
      return v2Documents[form.document].past ? between({ ...allTime, limit: 2 * recent }) : null
    case "Sitemap":
      return Effect.map(history.links(snapshot), (links) => ({ ...nothingRead, links }))
    case "Json":
    case "Html":
    case "Embed":
    case "Badge":
    case "History":
    case "Image":
    case "Robots":
      return null
  }
}
