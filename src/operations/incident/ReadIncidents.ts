/** Reads incidents and maintenance windows. */
import { Effect } from "effect"
import type { IncidentWithDeploys } from "../../../schema/api/Incidents.ts"
import type { IncidentId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { withOnlyIds } from "../../domain/deploy/DeployScope.ts"
import { deployWindow } from "../../domain/deploy/DeployWindow.ts"
import { mutes, mutesNothing } from "../../domain/incident/MaintenanceMutes.ts"
import { listPage } from "../../domain/tools/ListPage.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import { Links } from "../../links/Links.ts"
import { MutedMonitors } from "../../store/alert/MutedMonitors.ts"
import { Deploys } from "../../store/deploy/Deploys.ts"
import { IncidentComponents } from "../../store/incident/IncidentComponents.ts"
import { summaryOf } from "../../store/incident/IncidentRows.ts"
import { type IncidentFilter, Incidents } from "../../store/incident/Incidents.ts"
import { Database } from "../../store/postgres/connections/Database.ts"
import { makeRequireIncident } from "./RequireIncident.ts"

/** Monitors that a listed window names. */
const mostNamed = 10

/** The record of an incident carries the newest. */
const mostDeploys = 20

/** A page by id or slug; null matches any incident. */
interface IncidentQuery extends Omit<IncidentFilter, "workspaceId" | "pageId"> {
  readonly page: string | null
}

export class ReadIncidents extends Effect.Service<ReadIncidents>()("belltower/ReadIncidents", {
  effect: Effect.gen(function*() {
    const incidents = yield* Incidents
    const components = yield* IncidentComponents
    const links = yield* Links
    const deploys = yield* Deploys
    const muted = yield* MutedMonitors
    const require = yield* makeRequireIncident
    const { reading } = yield* Database

    const list = Effect.fn("ReadIncidents.list")(function*(workspaceId: WorkspaceId, { page, ...query }: IncidentQuery) {
      const [found] = page === null ? [] : yield* components.knownPages(workspaceId, [storable(page)])
      if (page !== null && found === undefined) return { data: [], next: null }
      const pageId: PageId | null = found?.id ?? null
      const rows = yield* incidents.list({ ...query, workspaceId, pageId, limit: query.limit + 1 })
      const { data: shown, next } = listPage(rows, query.limit)
      const behind = yield* muted.ofWindows(workspaceId, shown.filter(mutes).map(({ id }) => id), mostNamed)
      const data = shown.map((row) => ({
        ...summaryOf(row, links.incident),
        ...(mutes(row) ? { mutes: behind.get(row.id) ?? mutesNothing } : {})
      }))
      return { data, next }
    })

    /** With all updates and AI reports, and the deploys around it; fails with `not_found`. */
    const get = Effect.fn("ReadIncidents.get")(function*(workspaceId: WorkspaceId, id: IncidentId) {
      const incident = yield* require(workspaceId, id)
      const window = deployWindow(incident.startedAt, incident.resolvedAt)
      return {
        ...incident,
        deploys: (yield* deploys.matching(workspaceId, { ...window, limit: mostDeploys })).map(withOnlyIds)
      } satisfies IncidentWithDeploys
    })

    return {
      /** Newest first, without their updates. `next` is the cursor of the next page; null at the end. */
      list: (workspaceId: WorkspaceId, query: IncidentQuery) => reading(list(workspaceId, query)),
      get
    }
  })
}) {}
