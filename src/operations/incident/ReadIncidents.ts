/** Reads incidents and maintenance windows. */
import { Effect } from "effect"
import type { IncidentId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { storable } from "../../domain/Storable.ts"
import { Links } from "../../links/Links.ts"
import { IncidentComponents } from "../../store/incident/IncidentComponents.ts"
import { type IncidentFilter, IncidentLists } from "../../store/incident/IncidentLists.ts"
import { summaryOf } from "../../store/incident/IncidentRows.ts"
import { makeRequireIncident } from "./RequireIncident.ts"

/** A page by id or slug; null matches any incident. */
export interface IncidentQuery extends Omit<IncidentFilter, "workspaceId" | "pageId"> {
  readonly page: string | null
}

export class ReadIncidents extends Effect.Service<ReadIncidents>()("belltower/ReadIncidents", {
  effect: Effect.gen(function*() {
    const lists = yield* IncidentLists
    const components = yield* IncidentComponents
    const links = yield* Links
    const get = yield* makeRequireIncident

    /** Newest first, without their updates. `next` is the cursor of the next page; null at the end. */
    const list = Effect.fn("ReadIncidents.list")(function*(workspaceId: WorkspaceId, { page, ...query }: IncidentQuery) {
      const [found] = page === null ? [] : yield* components.knownPages(workspaceId, [storable(page)])
      if (page !== null && found === undefined) return { data: [], next: null }
      const pageId: PageId | null = found?.id ?? null
      const rows = yield* lists.matching({ ...query, workspaceId, pageId, limit: query.limit + 1 })
      const data = rows.slice(0, query.limit).map((row) => summaryOf(row, links.incident))
      const next: IncidentId | null = rows.length > query.limit ? data.at(-1)?.id ?? null : null
      return { data, next }
    })

    return {
      list,
      /** With all updates and AI reports; fails with `not_found`. */
      get
    }
  })
}) {}
