/** The resource of a workspace that each key of its documents names. */
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { DocumentKind } from "../../../schema/plan/WorkspaceDocument.ts"
import { findAll } from "../postgres/Queries.ts"

const Link = Schema.Struct({
  kind: DocumentKind,
  key: Schema.String,
  resourceId: Schema.String,
  /** Whether a plan created the thing. */
  made: Schema.Boolean
})
export type PlanLink = typeof Link.Type

export class PlanLinks extends Effect.Service<PlanLinks>()("belltower/PlanLinks", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    return {
      /** A thing that somebody deleted may still have its link. */
      list: findAll(
        Link,
        (workspaceId: WorkspaceId) =>
          sql`select kind, key, resource_id as "resourceId", made from plan_links where workspace_id = ${workspaceId}`
      ),
      /** Records the resources named by an applied plan's keys, in its transaction. `made` stays true for the same resource. */
      record: (workspaceId: WorkspaceId, links: ReadonlyArray<PlanLink>) =>
        links.length === 0 ? Effect.void : Effect.orDie(sql`
          insert into plan_links (workspace_id, kind, key, resource_id, made)
          select ${workspaceId}, kind, key, "resourceId", made
          from jsonb_to_recordset(${JSON.stringify(links)}::jsonb)
            as linked (kind text, key text, "resourceId" text, made boolean)
          on conflict (workspace_id, kind, key) do update set resource_id = excluded.resource_id,
            made = excluded.made or (plan_links.made and plan_links.resource_id = excluded.resource_id)`),
      /** Forgets deleted things, in the transaction that deletes them. */
      forget: (workspaceId: WorkspaceId, ids: ReadonlyArray<string>) =>
        ids.length === 0 ? Effect.void : Effect.orDie(sql`
          delete from plan_links where workspace_id = ${workspaceId} and resource_id = any(${ids}::text[])`)
    }
  })
}) {}
