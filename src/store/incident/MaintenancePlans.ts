/** The rows of a maintenance window's scheduled steps: its reminders and the next window of its series. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import type { IncidentId, WorkspaceId } from "../../../schema/Ids.ts"
import { findOne, write } from "../postgres/Queries.ts"

const MaintenancePlan = Schema.Struct({
  /** Minutes before the start at which subscribers are reminded. */
  remindMinutes: Schema.Array(Schema.Int),
  /** When the last reminder was due that has gone out; null before the first one. */
  remindedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  /** How the window comes again; null if it does not. */
  rule: Schema.NullOr(Schema.String),
  timezone: Schema.NullOr(Schema.String),
  firstStart: Schema.DateTimeUtcFromDate,
  message: Schema.String
})
export type MaintenancePlan = typeof MaintenancePlan.Type

export class MaintenancePlans extends Effect.Service<MaintenancePlans>()("belltower/MaintenancePlans", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    return {
      /** The plan of a window; none for most. The window's row is locked when this decides anything. */
      of: findOne(MaintenancePlan, (workspaceId: WorkspaceId, id: IncidentId) =>
        sql`
        select remind_minutes as "remindMinutes", reminded_at as "remindedAt", rule, timezone, first_start as "firstStart", message
        from maintenance_plans where incident_id = ${id} and workspace_id = ${workspaceId}`),
      insert: (workspaceId: WorkspaceId, id: IncidentId, plan: Omit<MaintenancePlan, "remindedAt">) =>
        write(sql`
            insert into maintenance_plans (incident_id, workspace_id, remind_minutes, rule, timezone, first_start, message)
            values (${id}, ${workspaceId}, ${[...plan.remindMinutes]}::int[], ${plan.rule}, ${plan.timezone},
                    ${DateTime.toDateUtc(plan.firstStart)}, ${plan.message})`),
      reminded: (workspaceId: WorkspaceId, id: IncidentId, at: DateTime.Utc) =>
        write(sql`
          update maintenance_plans set reminded_at = ${DateTime.toDateUtc(at)}
          where incident_id = ${id} and workspace_id = ${workspaceId}`),
      /** No window follows. */
      endSeries: (workspaceId: WorkspaceId, id: IncidentId) =>
        write(sql`
          update maintenance_plans set rule = null where incident_id = ${id} and workspace_id = ${workspaceId}`)
    }
  })
}) {}
