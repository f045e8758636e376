/** Replaces the ordered list of a page's component groups, and places its components. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { GroupId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import type { ComponentGroup } from "../../../schema/page/Page.ts"
import type { Place } from "../../domain/page/GroupPlan.ts"

export class ComponentGroups extends Effect.Service<ComponentGroups>()("belltower/ComponentGroups", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    /** In the caller's transaction, which holds the page's lock. The components of a deleted group have none then. */
    const replace = Effect.fn("ComponentGroups.replace")(
      function*(workspaceId: WorkspaceId, pageId: PageId, groups: ReadonlyArray<ComponentGroup>) {
        const kept: ReadonlyArray<GroupId> = groups.map(({ id }) => id)
        yield* sql`
          delete from component_groups
          where workspace_id = ${workspaceId} and page_id = ${pageId} and id <> all(${[...kept]}::text[])`
        const rows = JSON.stringify(groups.map((group, position) => ({ ...group, position })))
        yield* sql`
          insert into component_groups (id, workspace_id, page_id, name, description, collapsed, position)
          select id, ${workspaceId}, ${pageId}, name, description, collapsed, position
          from jsonb_to_recordset(${rows}::jsonb)
            as listed (id text, name text, description text, collapsed boolean, position int)
          on conflict (id) do update set name = excluded.name, description = excluded.description,
            collapsed = excluded.collapsed, position = excluded.position`
      },
      Effect.orDie
    )

    /** Sets the group and the position of components, which change in nothing else. In the same transaction. */
    const place = Effect.fn("ComponentGroups.place")(
      function*(workspaceId: WorkspaceId, pageId: PageId, places: ReadonlyArray<Place>) {
        yield* sql`
          update components c set group_id = placed."group", position = placed.position
          from jsonb_to_recordset(${JSON.stringify(places)}::jsonb) as placed (id text, "group" text, position int)
          where c.workspace_id = ${workspaceId} and c.page_id = ${pageId} and c.id = placed.id
            and (c.group_id is distinct from placed."group" or c.position <> placed.position)`
      },
      Effect.orDie
    )

    return { place, replace }
  })
}) {}
