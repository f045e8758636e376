/** Counts the components of pages by the status that they show, without reading the rest of them. */
import { SqlClient } from "@effect/sql"
import { Clock, Effect } from "effect"
import type { PageId, WorkspaceId } from "../../../schema/Ids.ts"
import type { ComponentCounts as Counts } from "../../../schema/page/Page.ts"
import { forEachOverTurns } from "../../loops/OverTurns.ts"
import { shownBy, type StatusSources } from "./ComponentRows.ts"
import { sourcesOfPages } from "./ComponentSelection.ts"

/** PostgreSQL makes it as JSON, in which none of the sources needs decoding. */
interface SourcesRow extends StatusSources {
  readonly pageId: PageId
  readonly hidden: boolean
}

/** Statuses found in one turn of the event loop: about 1 ms. A page may have 500 components. */
const perTurn = 200

export const noComponents: Counts = {
  operational: 0,
  degraded: 0,
  partial_outage: 0,
  major_outage: 0,
  maintenance: 0,
  unknown: 0,
  hidden: 0
}

export class ComponentCounts extends Effect.Service<ComponentCounts>()("belltower/ComponentCounts", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    /** By page; a page without components has no entry. */
    const ofPages = Effect.fn("ComponentCounts.ofPages")(
      function*(workspaceId: WorkspaceId, pageIds: ReadonlyArray<PageId>) {
        const rows = yield* sql<SourcesRow>`${sourcesOfPages(sql, workspaceId, pageIds, sql`true`)}`
        const now = yield* Clock.currentTimeMillis
        const places = yield* forEachOverTurns(
          rows,
          perTurn,
          (row) =>
            Effect.succeed({
              pageId: row.pageId,
              place: row.hidden ? "hidden" as const : shownBy(row, row.pushState, now).status
            })
        )
        const found = new Map<PageId, Counts>()
        for (const { pageId, place } of places) {
          const before = found.get(pageId) ?? noComponents
          found.set(pageId, { ...before, [place]: before[place] + 1 })
        }
        return found
      },
      Effect.orDie
    )

    return { ofPages }
  })
}) {}
