/** The statuses that people fix on components. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option } from "effect"
import type { OverrideInput } from "../../../schema/component/Component.ts"
import type { ComponentId, WorkspaceId } from "../../../schema/Ids.ts"
import { findOne } from "../postgres/Queries.ts"
import { StoredComponent } from "./ComponentRows.ts"
import { selectedComponents } from "./ComponentSelection.ts"

export class ComponentOverrides extends Effect.Service<ComponentOverrides>()("belltower/ComponentOverrides", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const find = findOne(
      StoredComponent,
      (workspaceId: WorkspaceId, id: ComponentId) =>
        sql`${selectedComponents(sql)} where c.workspace_id = ${workspaceId} and c.id = ${id}`
    )

    /** Sets or, with a null status, clears the override, in the caller's transaction. None if there is no such component. */
    const set = Effect.fn("ComponentOverrides.set")(
      function*(workspaceId: WorkspaceId, id: ComponentId, { reason, status }: OverrideInput) {
        const at = DateTime.toDateUtc(yield* DateTime.now)
        const [row] = yield* sql<{ readonly slug: string }>`
          update components c
          set override_status = ${status}, override_reason = ${status === null ? null : reason ?? null}, updated_at = ${at}
          from pages p where p.id = c.page_id and c.workspace_id = ${workspaceId} and c.id = ${id}
          returning p.slug`
        const stored = yield* find(workspaceId, id)
        return row === undefined ? Option.none() : Option.map(stored, (component) => ({ component, slug: row.slug }))
      },
      Effect.orDie
    )

    return { set }
  })
}) {}
