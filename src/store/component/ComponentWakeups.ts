/** Wakes the actors of components whose incidents or maintenance windows change. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { ComponentId, WorkspaceId } from "../../../schema/Ids.ts"
import { alarmsSignal } from "../Alarms.ts"

export class ComponentWakeups extends Effect.Service<ComponentWakeups>()("belltower/ComponentWakeups", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    /**
     * Wakes the actors after the caller's transaction commits, through their stored alarms. Rows are locked in order of id, as
     * the followers of monitors lock them.
     */
    const wake = Effect.fn("ComponentWakeups.wake")(function*(workspaceId: WorkspaceId, ids: ReadonlyArray<ComponentId>) {
      if (ids.length === 0) return
      const woken = yield* sql`
        insert into alarms (kind, id, workspace_id, due_at)
        select 'component', id, workspace_id, statement_timestamp() from components
        where workspace_id = ${workspaceId} and id = any(${[...ids]}::text[])
        order by id
        on conflict (kind, id) do update set due_at = least(alarms.due_at, excluded.due_at)
        returning 1`
      if (woken.length > 0) yield* sql`select pg_notify(${alarmsSignal}, '')`
    }, Effect.orDie)

    return { wake }
  })
}) {}
