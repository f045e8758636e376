/** Wakes the components that follow a monitor when it changes. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { alarmsSignal } from "../Alarms.ts"
import { Signals } from "../postgres/Signals.ts"

export class Followers extends Effect.Service<Followers>()("belltower/Followers", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals

    /**
     * Wakes the actors of the components that follow a monitor after the caller's transaction commits. Alarms are stored, so
     * no wake-up is lost. Rows are locked in order of id, so monitors with the same followers do not deadlock.
     */
    const call = Effect.fn("Followers.call")(function*(workspaceId: WorkspaceId, monitorId: MonitorId) {
      const woken = yield* sql`
        insert into alarms (kind, id, workspace_id, due_at)
        select 'component', id, workspace_id, statement_timestamp() from components
        where workspace_id = ${workspaceId} and monitor_ids @> array[${monitorId}::text]
        order by id
        on conflict (kind, id) do update set due_at = least(alarms.due_at, excluded.due_at)
        returning 1`
      if (woken.length > 0) yield* signals.send(alarmsSignal)
    })

    return { call }
  })
}) {}
