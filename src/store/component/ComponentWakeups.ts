/** Wakes the actors of components whose incidents or maintenance windows change. */
import { SqlClient, type Statement } from "@effect/sql"
import { Effect } from "effect"
import type { ComponentId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { alarmsSignal } from "../Alarms.ts"
import { Signals } from "../postgres/Signals.ts"

export interface WokenComponent {
  readonly workspaceId: WorkspaceId
  readonly id: ComponentId
}

export class ComponentWakeups extends Effect.Service<ComponentWakeups>()("belltower/ComponentWakeups", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals

    /**
     * Wakes the actors of components after the caller's transaction commits, through their stored alarms. A transaction wakes all
     * of its components by one call: the rows are locked in order of id, so that transactions do not wait for each other in a circle.
     */
    const wakeSelected = Effect.fn("ComponentWakeups.wake")(
      function*(components: Statement.Fragment) {
        const woken = yield* sql`
          insert into alarms (kind, id, workspace_id, due_at)
          select distinct 'component', c.id, c.workspace_id, statement_timestamp() from ${components}
          order by c.id
          on conflict (kind, id) do update set due_at = least(alarms.due_at, excluded.due_at)
          returning 1`
        if (woken.length > 0) yield* signals.send(alarmsSignal)
      },
      Effect.orDie
    )

    return {
      wakeAll: (components: ReadonlyArray<WokenComponent>) =>
        components.length === 0 ? Effect.void : wakeSelected(sql`
          unnest(${components.map((one) => one.workspaceId)}::text[], ${components.map((one) => one.id)}::text[])
            as woken (workspace_id, id)
          join components c on c.workspace_id = woken.workspace_id and c.id = woken.id`),
      /** Wakes these components of a workspace, and all of `pageIds`. */
      wake: (workspaceId: WorkspaceId, ids: ReadonlyArray<ComponentId>, pageIds: ReadonlyArray<PageId> = []) =>
        ids.length === 0 && pageIds.length === 0 ? Effect.void : wakeSelected(sql`
          components c
          where c.workspace_id = ${workspaceId} and (c.id = any(${ids}::text[]) or c.page_id = any(${pageIds}::text[]))`)
    }
  })
}) {}
