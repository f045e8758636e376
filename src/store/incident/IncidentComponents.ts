/** The components that incidents affect, and the pages that show them. */
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { ComponentId, IncidentId, PageId, type WorkspaceId } from "../../../schema/Ids.ts"
import { pagesNamed, pagesSignal } from "../page/Pages.ts"
import { findAll, write } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"
import { type IncidentKey, incidentKeys } from "./OutageRows.ts"

const Affected = Schema.Struct({ incidentId: IncidentId, id: ComponentId, name: Schema.String })
const Known = Schema.Struct({ id: ComponentId, name: Schema.String, pageId: PageId, pageName: Schema.String })

export class IncidentComponents extends Effect.Service<IncidentComponents>()("belltower/IncidentComponents", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals

    const affected = findAll(Affected, (keys: ReadonlyArray<IncidentKey>) =>
      sql`
      select distinct i.id as "incidentId", c.id, c.name
      from ${incidentKeys(sql, keys)}
      join incidents i on i.workspace_id = wanted.workspace_id and i.id = wanted.id
      cross join lateral jsonb_array_elements(i.components) affected
      join components c on c.id = affected->>'componentId' and c.workspace_id = i.workspace_id
      order by c.name, c.id`)

    const known = findAll(Known, (workspaceId: WorkspaceId, ids: ReadonlyArray<ComponentId>) =>
      sql`
      select c.id, c.name, c.page_id as "pageId", p.name as "pageName" from components c join pages p on p.id = c.page_id
      where c.workspace_id = ${workspaceId} and c.id = any(${ids}::text[]) order by c.page_id, c.position, c.id`)

    const knownPages = pagesNamed(sql)

    /** The affected components of incidents that still exist, by name. */
    const affectedBy = (keys: ReadonlyArray<IncidentKey>) => keys.length === 0 ? Effect.succeed([]) : affected(keys)

    return {
      affectedBy,
      affected: (workspaceId: WorkspaceId, id: IncidentId) => affectedBy([{ workspaceId, id }]),
      /** The components with these ids that exist, with their pages. */
      known: (workspaceId: WorkspaceId, ids: ReadonlyArray<ComponentId>) =>
        ids.length === 0 ? Effect.succeed([]) : known(workspaceId, ids),
      knownPages,
      /** Locks a page until the commit, so that its components open, join and leave its incident one at a time. */
      lockPage: (workspaceId: WorkspaceId, pageId: PageId) =>
        write(sql`select 1 from pages where workspace_id = ${workspaceId} and id = ${pageId} for no key update`),
      /** Notifies every process that serves pages, so that it shows them as they are after the caller's transaction. */
      notifyPages: Effect.fn("IncidentComponents.notifyPages")(
        function*(workspaceId: WorkspaceId, pageIds: ReadonlyArray<PageId>) {
          for (const { slug } of yield* knownPages(workspaceId, pageIds)) yield* signals.send(pagesSignal, slug)
        },
        Effect.orDie
      )
    }
  })
}) {}
