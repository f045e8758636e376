/** Checks that could not become part of a block: kept as they were, so that one broken row does not stop the others. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect } from "effect"
import type { CheckId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"

interface BrokenCheck {
  readonly id: CheckId
  readonly at: number
  readonly workspaceId: WorkspaceId
  readonly monitorId: MonitorId
}

export class SetAsideChecks extends Effect.Service<SetAsideChecks>()("belltower/SetAsideChecks", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return {
      keep: (check: BrokenCheck, reason: string) =>
        sql`
          insert into checks_set_aside (id, at, workspace_id, monitor_id, reason, data)
          values (${check.id}, ${DateTime.toDateUtc(DateTime.unsafeMake(check.at))}, ${check.workspaceId}, ${check.monitorId},
            ${reason}, ${JSON.stringify(check)}::json)
          on conflict do nothing`,
      /** Deletes those that were set aside before an instant. */
      expire: (before: Date) => sql`delete from checks_set_aside where set_aside_at < ${before}`
    }
  })
}) {}
