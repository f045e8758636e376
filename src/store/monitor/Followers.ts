/** The components that follow a monitor: they hear of it when it changed. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { alarmsSignal } from "../Alarms.ts"

export class Followers extends Effect.Service<Followers>()("belltower/Followers", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    /**
     * Has the actors of the components that follow a monitor look at it, once the caller's transaction has committed: by their
     * alarms, so that none of it is lost. In one order, so that monitors with the same followers never wait for each other.
     */
    const call = Effect.fn("Followers.call")(function*(workspaceId: WorkspaceId, monitorId: MonitorId) {
      const called = yield* sql`
        insert into alarms (kind, id, workspace_id, due_at)
        select 'component', id, workspace_id, statement_timestamp() from components
        where workspace_id = ${workspaceId} and monitor_ids @> array[${monitorId}::text]
        order by id
        on conflict (kind, id) do update set due_at = least(alarms.due_at, excluded.due_at)
        returning 1`
      if (called.length > 0) yield* sql`select pg_notify(${alarmsSignal}, '')`
    })

    return { call }
  })
}) {}
