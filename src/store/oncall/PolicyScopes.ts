/** Which of the channels, people, schedules, monitors and pages that a policy names exist in its workspace. */
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { PageId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { EscalationTarget } from "../../../schema/oncall/Policy.ts"
import { findAll } from "../postgres/Queries.ts"

export interface PolicyReferences {
  readonly targets: ReadonlyArray<EscalationTarget>
  readonly monitorIds: ReadonlyArray<string>
  /** Ids or slugs. */
  readonly pages: ReadonlyArray<string>
}

export class PolicyScopes extends Effect.Service<PolicyScopes>()("belltower/PolicyScopes", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const ids = findAll(Schema.Struct({ found: Schema.String }), (workspaceId: WorkspaceId, ids: ReadonlyArray<string>) =>
      sql`
        select 'channel ' || id as found from channels where workspace_id = ${workspaceId} and id = any(${ids}::text[])
        union all
        select 'schedule ' || id as found from oncall_schedules where workspace_id = ${workspaceId} and id = any(${ids}::text[])
        union all
        select 'monitor ' || id as found from monitors where workspace_id = ${workspaceId} and id = any(${ids}::text[])
        union all
        select 'user ' || user_id from memberships where workspace_id = ${workspaceId} and user_id = any(${ids}::text[])`)

    const pages = findAll(
      Schema.Struct({ id: PageId, slug: Schema.String }),
      (workspaceId: WorkspaceId, names: ReadonlyArray<string>) =>
        sql`
        select id, slug from pages
        where workspace_id = ${workspaceId} and (id = any(${names}::text[]) or slug = any(${names}::text[]))`
    )

    return {
      /** The named things that exist, as kind and id: `channel ch_...`, `schedule`, `user` or `monitor`; and the pages. */
      known: Effect.fn("PolicyScopes.known")(function*(workspaceId: WorkspaceId, named: PolicyReferences) {
        const wanted = [...new Set([...named.targets.map(({ id }) => id), ...named.monitorIds])]
        const rows = wanted.length === 0 ? [] : yield* ids(workspaceId, wanted)
        return {
          found: rows.map(({ found }) => found),
          pages: named.pages.length === 0 ? [] : yield* pages(workspaceId, named.pages)
        }
      }, Effect.orDie)
    }
  })
}) {}
