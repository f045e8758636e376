/** Components that follow monitors, and maintenance windows, as rows of a real database. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { ComponentId, IncidentId, type MonitorId, type WorkspaceId } from "../../../schema/Ids.ts"
import { mint } from "../../../src/store/Mint.ts"

/** A component that follows monitors. */
export const newComponent = (workspaceId: WorkspaceId, monitorIds: ReadonlyArray<MonitorId>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [id, pageId] = [yield* mint("cmp", ComponentId), `pg_${workspaceId}`]
    yield* sql`
      insert into pages (id, workspace_id, name, slug, visibility, theme, branding, settings, seo, created_at, updated_at)
      values (${pageId}, ${workspaceId}, 'Page', ${workspaceId.toLowerCase()}, 'public', '{}', '{}', '{}', '{}', now(), now())
      on conflict do nothing`
    yield* sql`
      insert into components (id, workspace_id, page_id, name, key, monitor_ids, aggregate, manual, show_uptime,
                              show_response_times, hidden, position, created_at, updated_at)
      values (${id}, ${workspaceId}, ${pageId}, 'API', ${id}, ${[...monitorIds]}::text[], 'worst', false, true, false, false, 1,
              now(), now())`
    return id
  })

/** A maintenance window, ms since 1970; it still runs without an end. */
export const newMaintenance = (
  workspaceId: WorkspaceId,
  components: ReadonlyArray<ComponentId>,
  from: number,
  to: number | null,
  { affected = "maintenance", status = to === null ? "in_progress" : "completed" } = {}
) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      insert into incidents (id, workspace_id, kind, title, status, impact, public, automatic, page_ids, components, started_at,
                             resolved_at, updated_at)
      values (${yield* mint("inc", IncidentId)}, ${workspaceId}, 'maintenance', 'Upgrade', ${status}, 'none', false, false, '{}',
              ${JSON.stringify(components.map((componentId) => ({ componentId, status: affected })))}::jsonb,
              ${new Date(from)}, ${to === null ? null : new Date(to)}, ${new Date(to ?? from)})`
  })
