/** Reads and locks many monitors of a workspace at a time, for exports and plans. */
import { SqlClient } from "@effect/sql"
import { Effect, Schema, Struct } from "effect"
import { MonitorId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { MonitorSettings } from "../../domain/monitor/settings/MonitorSettings.ts"
import { MonitorRow, Monitors } from "../monitor/Monitors.ts"
import { decodedOverTurns, findAll } from "../postgres/Queries.ts"

const Outline = Schema.Struct({ id: MonitorId, name: Schema.String })

const SettingsRow = Schema.Struct({
  ...Struct.omit(MonitorRow.fields, "workspaceId", "revision", "kind", "createdAt", "updatedAt"),
  sealed: Schema.NullOr(Schema.String)
})

const decoded = decodedOverTurns(SettingsRow)

/** Monitors of one statement. */
const chunk = 500

export class PlannedMonitors extends Effect.Service<PlannedMonitors>()("belltower/PlannedMonitors", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { secrets } = yield* Monitors

    const rows = (workspaceId: WorkspaceId, ids: ReadonlyArray<string>) =>
      sql`
        select id, name, description, target, interval_sec as "intervalSec", timeout_ms as "timeoutMs",
          failure_threshold as "failureThreshold", recovery_threshold as "recoveryThreshold", confirm_after_sec as "confirmAfterSec",
          failure_rate as "failureRate", channel_ids as "channelIds", reminder_minutes as "reminderMinutes",
          depends_on as "dependsOn", urgency, ai, tags, paused, regions, sealed
        from monitors where workspace_id = ${workspaceId} and id = any(${ids}::text[])`

    return {
      /** Ids and names, oldest first, without the monitor of a drill that runs. By the index on (workspace_id, id). */
      outlines: findAll(
        Outline,
        (workspaceId: WorkspaceId, limit: number) =>
          sql`
          select id, name from monitors m
          where workspace_id = ${workspaceId} and not exists (
            select from drills d where d.workspace_id = m.workspace_id and d.monitor_id = m.id and d.finished_at is null)
          order by id limit ${limit}`
      ),
      /** The settings with their secrets, by id. */
      settings: Effect.fn("PlannedMonitors.settings")(function*(workspaceId: WorkspaceId, ids: ReadonlyArray<string>) {
        const found = new Map<string, MonitorSettings>()
        for (let at = 0; at < ids.length; at += chunk) {
          for (const row of yield* decoded(yield* rows(workspaceId, ids.slice(at, at + chunk)))) {
            const { id, sealed, ...settings } = row
            found.set(id, { ...settings, secrets: yield* secrets({ id, sealed }) })
          }
        }
        return found
      }, Effect.orDie),
      /** Locks a plan's monitors, in the caller's transaction: edits and actors lock a monitor before its workspace. */
      lock: Effect.fn("PlannedMonitors.lock")(function*(workspaceId: WorkspaceId, ids: ReadonlyArray<string>) {
        if (ids.length === 0) return
        yield* sql`
          select 1 from monitors where workspace_id = ${workspaceId} and id = any(${ids}::text[]) order by id
          for no key update`
        yield* sql`
          select 1 from monitor_states where workspace_id = ${workspaceId} and monitor_id = any(${ids}::text[])
          order by monitor_id for update`
      }, Effect.orDie)
    }
  })
}) {}
