/** The pages that show an incident, and the update that brings it onto more of them. */
import type { PageId } from "../../../schema/Ids.ts"
import type { Incident } from "../../../schema/incident/Incident.ts"
import type { Refusal } from "../Refusal.ts"

export type Reach = Pick<Incident, "public" | "pageIds">

/** Pages that an incident or a maintenance window is on at most: those that callers name, and those of its components. */
export const mostPages = 20

/**
 * The pages after a person's update that lists components of the pages `listedOn`. A public update brings the incident onto these
 * pages. `wish` is the update's `public`: an incident that was opened as internal is published by an explicit true alone.
 */
export const reachAfter = (reach: Reach, listedOn: ReadonlyArray<PageId>, wish: boolean | undefined): Reach => {
  const wasKeptInternal = !reach.public && reach.pageIds.length > 0
  if (listedOn.length === 0 || !(wish ?? !wasKeptInternal)) return reach
  const pageIds = [...new Set([...reach.pageIds, ...listedOn])]
  return reach.public && pageIds.length === reach.pageIds.length ? reach : { public: true, pageIds }
}

/** The refusal of too many pages; null if they are few enough. `path` is the field with the components. */
export const pagesRefusal = (pages: number, path: "components" | "componentIds"): Refusal | null =>
  pages <= mostPages ? null : {
    path,
    message: `An incident is on at most ${mostPages} pages, and with these components it would be on ${pages}`,
    hint: "Open another incident for the other pages"
  }

/** True if an update brings an incident onto more pages than allowed. */
export const reachesTooMany = (before: Reach, after: Reach): boolean =>
  after.pageIds.length > mostPages && after.pageIds.length > before.pageIds.length
