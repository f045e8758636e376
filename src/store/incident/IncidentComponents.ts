/** The components that automatic incidents affect, and the pages that show them. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { Effect, Schema } from "effect"
import { ComponentId, IncidentId, MonitorId, PageId, WorkspaceId } from "../../../schema/Ids.ts"

const Showing = Schema.Struct({ componentId: ComponentId, name: Schema.String, pageId: PageId })
const Affected = Schema.Struct({ id: ComponentId, name: Schema.String })

export class IncidentComponents extends Effect.Service<IncidentComponents>()("belltower/IncidentComponents", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const showing = SqlSchema.findAll({
      Request: Schema.Struct({ workspaceId: WorkspaceId, monitorId: MonitorId }),
      Result: Showing,
      execute: ({ monitorId, workspaceId }) =>
        sql`
        select c.id as "componentId", c.name, c.page_id as "pageId"
        from components c join pages p on p.id = c.page_id
        where c.workspace_id = ${workspaceId} and c.monitor_ids @> array[${monitorId}]::text[] and not c.hidden
          and coalesce((p.settings->>'autoIncidents')::boolean, true)
        order by c.id`
    })

    const affected = SqlSchema.findAll({
      Request: Schema.Struct({ workspaceId: WorkspaceId, incidentId: IncidentId }),
      Result: Affected,
      execute: ({ incidentId, workspaceId }) =>
        sql`
        select distinct c.id, c.name from incidents i
        cross join lateral jsonb_array_elements(i.components) affected
        join components c on c.id = affected->>'componentId' and c.workspace_id = i.workspace_id
        where i.workspace_id = ${workspaceId} and i.id = ${incidentId} order by c.name, c.id`
    })

    return {
      /** The visible components that show a monitor, on pages that open incidents by themselves. */
      showing: (workspaceId: WorkspaceId, monitorId: MonitorId) => Effect.orDie(showing({ workspaceId, monitorId })),
      /** The affected components of an incident that still exist, by name. */
      affected: (workspaceId: WorkspaceId, incidentId: IncidentId) => Effect.orDie(affected({ workspaceId, incidentId })),
      /** Locks a page until the commit: its components open, join and leave its incident one at a time. */
      lockPage: Effect.fn("IncidentComponents.lockPage")(function*(workspaceId: WorkspaceId, pageId: PageId) {
        yield* sql`select 1 from pages where workspace_id = ${workspaceId} and id = ${pageId} for no key update`
      }, Effect.orDie)
    }
  })
}) {}
