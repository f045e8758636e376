/** Changes and deletes the rows of components, and replaces the groups of a page. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option, Schema } from "effect"
import type { OverrideInput } from "../../../schema/component/Component.ts"
import { ComponentId, type GroupId, type PageId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { ComponentGroup } from "../../../schema/page/Page.ts"
import type { ComponentSettings } from "../../domain/component/ComponentSettings.ts"
import type { ComponentPosition } from "../../domain/page/GroupPlan.ts"
import { forgetComponents } from "../incident/IncidentTemplates.ts"
import { randomToken } from "../Mint.ts"
import { findAll, findOne, write } from "../postgres/Queries.ts"
import { cellOf } from "../SealedColumns.ts"
import { tokenHash, Vault } from "../Vault.ts"
import { StoredComponent } from "./ComponentRows.ts"
import { tokenLength } from "./Components.ts"
import { selectedComponents } from "./ComponentSelection.ts"

const OnPage = Schema.Struct({ ...StoredComponent.fields, slug: Schema.String })

export interface ComponentEdit {
  readonly name: string
  readonly key: string
  readonly group: GroupId | null
  readonly order: number
  readonly settings: ComponentSettings
}

export class ComponentEdits extends Effect.Service<ComponentEdits>()("belltower/ComponentEdits", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault

    /** A component that starts to take pushes gets a new token; the token of one that stops is forgotten. */
    const tokenOf = Effect.fnUntraced(function*(before: StoredComponent, push: boolean) {
      if (!push) return { hash: null, sealed: null }
      if (before.push) return null
      const token = yield* randomToken(tokenLength)
      return { hash: tokenHash(token), sealed: yield* vault.seal(cellOf("components.push_token_sealed", before.id), token) }
    })

    /** Writes an edit in the caller's transaction, which holds the page's lock. */
    const update = Effect.fn("ComponentEdits.update")(function*(before: StoredComponent, edit: ComponentEdit) {
      const { id, workspaceId } = before
      const { group, key, name, order, settings } = edit
      const at = DateTime.toDateUtc(yield* DateTime.now)
      yield* sql`
        update components
        set name = ${name}, key = ${key}, description = ${settings.description}, group_id = ${group}, position = ${order},
          monitor_ids = ${[...settings.monitorIds]}::text[], aggregate = ${settings.aggregate}, push = ${settings.push},
          manifest_monitor_id = ${settings.manifest?.monitorId ?? null}, manifest_key = ${settings.manifest?.key ?? null},
          push_ttl_sec = ${settings.pushTtlSec}, confirmations = ${settings.confirmations}, manual = ${settings.manual},
          show_uptime = ${settings.showUptime}, show_response_times = ${settings.showResponseTimes},
          hidden = ${settings.hidden}, updated_at = ${at}
        where workspace_id = ${workspaceId} and id = ${id}`
      const token = yield* tokenOf(before, settings.push)
      if (token !== null) {
        yield* sql`
          update components set push_token_hash = ${token.hash}, push_token_sealed = ${token.sealed}
          where workspace_id = ${workspaceId} and id = ${id}`
      }
      const hasReports = settings.push || settings.manifest !== null
      if (settings.manual === before.manual && (hasReports || settings.manual)) return
      // A decision that the actor has under way came from the former source: it no longer counts, and would begin a span.
      yield* sql`
        update component_states set version = version + 1 where workspace_id = ${workspaceId} and component_id = ${id}`
      // The last status would otherwise seem to have lasted until the component has a history of its own again.
      yield* sql`
        update component_spans set ended_at = greatest(started_at, ${at})
        where workspace_id = ${workspaceId} and component_id = ${id} and ended_at is null`
      if (!settings.manual) return
      yield* sql`
        insert into component_spans (component_id, workspace_id, started_at, state)
        select component_id, workspace_id, ${at}, status from component_states
        where workspace_id = ${workspaceId} and component_id = ${id}
        on conflict (component_id, started_at) do update set state = excluded.state, ended_at = null`
    }, Effect.orDie)

    const find = findOne(OnPage, (workspaceId: WorkspaceId, id: ComponentId) =>
      sql`
      select component.*, p.slug
      from (${selectedComponents(sql)} where c.workspace_id = ${workspaceId} and c.id = ${id}) component
      join pages p on p.id = component."pageId"`)

    return {
      /** Sets the group and the position of components, which change in nothing else. In the same transaction. */
      reposition: (workspaceId: WorkspaceId, pageId: PageId, positions: ReadonlyArray<ComponentPosition>) =>
        write(sql`
            update components c set group_id = moved."group", position = moved.position
            from jsonb_to_recordset(${JSON.stringify(positions)}::jsonb) as moved (id text, "group" text, position int)
            where c.workspace_id = ${workspaceId} and c.page_id = ${pageId} and c.id = moved.id
              and (c.group_id is distinct from moved."group" or c.position <> moved.position)`),
      /**
       * Replaces the ordered groups of a page, in the caller's transaction, which holds the page's lock. The components of a
       * deleted group
       * have none then.
       */
      replaceGroups: Effect.fn("ComponentEdits.replaceGroups")(
        function*(workspaceId: WorkspaceId, pageId: PageId, groups: ReadonlyArray<ComponentGroup>) {
          const kept: ReadonlyArray<GroupId> = groups.map(({ id }) => id)
          yield* sql`
            delete from component_groups
            where workspace_id = ${workspaceId} and page_id = ${pageId} and id <> all(${kept}::text[])`
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
      ),
      /** Sets or, with a null status, clears the override, in the caller's transaction. None if there is no such component. */
      override: Effect.fn("ComponentEdits.override")(
        function*(workspaceId: WorkspaceId, id: ComponentId, { reason, status }: OverrideInput) {
          const at = DateTime.toDateUtc(yield* DateTime.now)
          yield* sql`
            update components
            set override_status = ${status}, override_reason = ${status === null ? null : reason ?? null}, updated_at = ${at}
            where workspace_id = ${workspaceId} and id = ${id}`
          return Option.map(yield* find(workspaceId, id), ({ slug, ...component }) => ({ component, slug }))
        },
        Effect.orDie
      ),
      /** A component with the slug of its page. */
      find,
      /** The components of a page that have one of these keys. */
      keyed: findAll(
        Schema.Struct({ id: ComponentId, key: Schema.String, push: Schema.Boolean }),
        (workspaceId: WorkspaceId, pageId: PageId, keys: ReadonlyArray<string>) =>
          sql`
        select id, key, push from components
        where workspace_id = ${workspaceId} and page_id = ${pageId} and key = any(${keys}::text[]) order by position, id`
      ),
      update,
      /** Call it in a transaction. */
      remove: Effect.fn("ComponentEdits.remove")(function*(workspaceId: WorkspaceId, id: ComponentId) {
        yield* sql`delete from components where workspace_id = ${workspaceId} and id = ${id}`
        yield* forgetComponents(sql, workspaceId)
      }, Effect.orDie)
    }
  })
}) {}
