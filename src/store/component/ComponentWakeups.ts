/** Wakes the actors of components whose incidents or maintenance windows change. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { ComponentId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { alarmsSignal } from "../Alarms.ts"
import { Signals } from "../postgres/Signals.ts"

export class ComponentWakeups extends Effect.Service<ComponentWakeups>()("belltower/ComponentWakeups", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals

    /**
     * Wakes the actors after the caller's transaction commits, through their stored alarms. `followed` adds the components that
     * follow a monitor. A transaction wakes all of its components by one call: the rows are locked in order of id, as the
     * followers of monitors lock them, so that transactions do not wait for each other in a circle.
     */
    const wake = Effect.fn("ComponentWakeups.wake")(
      function*(workspaceId: WorkspaceId, ids: ReadonlyArray<ComponentId>, followed: MonitorId | null = null) {
        if (ids.length === 0) return
        const followers = followed === null ? sql`false` : sql`monitor_ids @> array[${followed}]::text[]`
        const woken = yield* sql`
          insert into alarms (kind, id, workspace_id, due_at)
          select 'component', id, workspace_id, statement_timestamp() from components
          where workspace_id = ${workspaceId} and (id = any(${[...ids]}::text[]) or ${followers})
          order by id
          on conflict (kind, id) do update set due_at = least(alarms.due_at, excluded.due_at)
          returning 1`
        if (woken.length > 0) yield* signals.send(alarmsSignal)
      },
      Effect.orDie
    )

    return { wake }
  })
}) {}
