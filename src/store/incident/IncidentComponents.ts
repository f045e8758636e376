/** The components that incidents affect, and the pages that show them. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { Effect, Schema } from "effect"
import { ComponentId, IncidentId, MonitorId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { pagesSignal } from "../page/Pages.ts"
import { Signals } from "../postgres/Signals.ts"

const Showing = Schema.Struct({ componentId: ComponentId, name: Schema.String, pageId: PageId })
const Affected = Schema.Struct({ id: ComponentId, name: Schema.String })
const Known = Schema.Struct({ ...Affected.fields, pageId: PageId, pageName: Schema.String })
const KnownPage = Schema.Struct({ id: PageId, slug: Schema.String })

const makeQueries = (sql: SqlClient.SqlClient) => ({
  showing: SqlSchema.findAll({
    Request: Schema.Struct({ workspaceId: WorkspaceId, monitorId: MonitorId }),
    Result: Showing,
    // A component by majority reports its own outages: one of its monitors does not speak for it.
    execute: ({ monitorId, workspaceId }) =>
      sql`
      select c.id as "componentId", c.name, c.page_id as "pageId"
      from components c join pages p on p.id = c.page_id
      where c.workspace_id = ${workspaceId} and c.monitor_ids @> array[${monitorId}]::text[] and not c.hidden
        and not (c.aggregate = 'majority' and cardinality(c.monitor_ids) > 1)
        and coalesce((p.settings->>'autoIncidents')::boolean, true)
      order by c.id`
  }),
  affected: SqlSchema.findAll({
    Request: Schema.Struct({ workspaceId: WorkspaceId, incidentId: IncidentId }),
    Result: Affected,
    execute: ({ incidentId, workspaceId }) =>
      sql`
      select distinct c.id, c.name from incidents i
      cross join lateral jsonb_array_elements(i.components) affected
      join components c on c.id = affected->>'componentId' and c.workspace_id = i.workspace_id
      where i.workspace_id = ${workspaceId} and i.id = ${incidentId} order by c.name, c.id`
  }),
  known: SqlSchema.findAll({
    Request: Schema.Struct({ workspaceId: WorkspaceId, ids: Schema.Array(ComponentId) }),
    Result: Known,
    execute: ({ ids, workspaceId }) =>
      sql`
      select c.id, c.name, c.page_id as "pageId", p.name as "pageName" from components c join pages p on p.id = c.page_id
      where c.workspace_id = ${workspaceId} and c.id = any(${[...ids]}::text[]) order by c.page_id, c.position, c.id`
  }),
  knownPages: SqlSchema.findAll({
    Request: Schema.Struct({ workspaceId: WorkspaceId, idsOrSlugs: Schema.Array(Schema.String) }),
    Result: KnownPage,
    execute: ({ idsOrSlugs, workspaceId }) =>
      sql`
      select id, slug from pages
      where workspace_id = ${workspaceId} and (id = any(${[...idsOrSlugs]}::text[]) or slug = any(${[...idsOrSlugs]}::text[]))`
  })
})

export class IncidentComponents extends Effect.Service<IncidentComponents>()("belltower/IncidentComponents", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const { affected, known, knownPages, showing } = makeQueries(sql)

    return {
      /**
       * The visible components that fail when a monitor fails, on pages with automatic incidents. Components whose status is
       * that of the majority of several monitors are not among them.
       */
      showing: (workspaceId: WorkspaceId, monitorId: MonitorId) => Effect.orDie(showing({ workspaceId, monitorId })),
      /** The affected components of an incident that still exist, by name. */
      affected: (workspaceId: WorkspaceId, incidentId: IncidentId) => Effect.orDie(affected({ workspaceId, incidentId })),
      /** The components with these ids that exist, with their pages. */
      known: (workspaceId: WorkspaceId, ids: ReadonlyArray<ComponentId>) =>
        ids.length === 0 ? Effect.succeed([]) : Effect.orDie(known({ workspaceId, ids })),
      /** The pages with these ids or slugs that exist. */
      knownPages: (workspaceId: WorkspaceId, idsOrSlugs: ReadonlyArray<string>) =>
        idsOrSlugs.length === 0 ? Effect.succeed([]) : Effect.orDie(knownPages({ workspaceId, idsOrSlugs })),
      /** Locks a page until the commit, so that its components open, join and leave its incident one at a time. */
      lockPage: Effect.fn("IncidentComponents.lockPage")(function*(workspaceId: WorkspaceId, pageId: PageId) {
        yield* sql`select 1 from pages where workspace_id = ${workspaceId} and id = ${pageId} for no key update`
      }, Effect.orDie),
      /** Has every process show the pages as they are after the caller's transaction. */
      tellPages: Effect.fn("IncidentComponents.tellPages")(function*(workspaceId: WorkspaceId, pageIds: ReadonlyArray<PageId>) {
        if (pageIds.length === 0) return
        for (const { slug } of yield* knownPages({ workspaceId, idsOrSlugs: pageIds })) yield* signals.send(pagesSignal, slug)
      }, Effect.orDie)
    }
  })
}) {}
