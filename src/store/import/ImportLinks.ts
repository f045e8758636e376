/**
 * The resources that earlier imports made, by their refs at the source. Survives renames. A deleted one counts as not made, and so does an
 * incident whose pages were all deleted: a page that is made again has its history.
 */
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { ImportItemKind, type ImportSource } from "../../../schema/import/Import.ts"
import { findAll } from "../postgres/Queries.ts"

const Link = Schema.Struct({ ref: Schema.String, kind: ImportItemKind, resourceId: Schema.String })

export class ImportLinks extends Effect.Service<ImportLinks>()("belltower/ImportLinks", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    // Each branch looks its resources up by primary key.
    const living = findAll(Link, (workspaceId: WorkspaceId, source: ImportSource) =>
      sql`
        select l.ref, l.kind, l.resource_id as "resourceId" from import_links l
        where l.workspace_id = ${workspaceId} and l.source = ${source} and case l.kind
          when 'monitor' then exists (select 1 from monitors r where r.id = l.resource_id and r.workspace_id = l.workspace_id)
          when 'channel' then exists (select 1 from channels r where r.id = l.resource_id and r.workspace_id = l.workspace_id)
          when 'page' then exists (select 1 from pages r where r.id = l.resource_id and r.workspace_id = l.workspace_id)
          when 'schedule' then exists (
            select 1 from oncall_schedules r where r.id = l.resource_id and r.workspace_id = l.workspace_id)
          when 'policy' then exists (
            select 1 from escalation_policies r where r.id = l.resource_id and r.workspace_id = l.workspace_id)
          when 'template' then exists (
            select 1 from incident_templates r where r.id = l.resource_id and r.workspace_id = l.workspace_id)
          when 'component' then exists (select 1 from components r where r.id = l.resource_id and r.workspace_id = l.workspace_id)
          else exists (
            select 1 from incidents r join pages p on p.id = any(r.page_ids) and p.workspace_id = r.workspace_id
            where r.id = l.resource_id and r.workspace_id = l.workspace_id) end`)

    return {
      living: Effect.fn("ImportLinks.living")(function*(workspaceId: WorkspaceId, source: ImportSource) {
        const links = yield* living(workspaceId, source)
        return new Map(links.map(({ ref, resourceId }) => [ref, resourceId]))
      }, Effect.orDie),
      /** In the transaction that makes the resource. */
      add: Effect.fn("ImportLinks.add")(
        function*(workspaceId: WorkspaceId, source: ImportSource, { kind, ref, resourceId }: typeof Link.Type) {
          yield* sql`
            insert into import_links ${sql.insert({ workspace_id: workspaceId, source, ref, kind, resource_id: resourceId })}
            on conflict (workspace_id, source, ref) do update set kind = excluded.kind, resource_id = excluded.resource_id`
        },
        Effect.orDie
      )
    }
  })
}) {}
