/** The monitors whose alerts maintenance windows and mutes keep back, as records show them. */
import { SqlClient, type Statement } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { IncidentId, type MonitorId, type MuteId, type WorkspaceId } from "../../../schema/Ids.ts"
import { MutedMonitors as Muted } from "../../../schema/monitor/MutedMonitors.ts"
import { Muted as Cause } from "../../../schema/mute/Mute.ts"
import { monitorsInMaintenance } from "../incident/MaintenanceScope.ts"
import { findAll, findOne } from "../postgres/Queries.ts"
import { covers, mutedNow } from "./MuteScope.ts"

export class MutedMonitors extends Effect.Service<MutedMonitors>()("belltower/MutedMonitors", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    /** The number and the first `most` of the monitors of each scope, from rows of a scope's `id` and a monitor. */
    const counted = (rows: Statement.Fragment, most: number) =>
      sql`
      select id, max(ordinal)::int as count,
        jsonb_agg(jsonb_build_object('id', monitor_id, 'name', name) order by ordinal) filter (where ordinal <= ${most}) as monitors
      from (
        select scope.id, m.id as monitor_id, m.name, row_number() over (partition by scope.id order by m.name, m.id) as ordinal
        from (select distinct * from (${rows}) found) scope (workspace_id, id, monitor_id)
        join monitors m on m.workspace_id = scope.workspace_id and m.id = scope.monitor_id
      ) numbered
      group by id`

    const ofWindows = findAll(
      Schema.Struct({ id: IncidentId, ...Muted.fields }),
      (workspaceId: WorkspaceId, ids: ReadonlyArray<IncidentId>, most: number) =>
        counted(
          sql`
          select workspace_id, incident_id, monitor_id
          from (${monitorsInMaintenance(sql, sql`i.workspace_id = ${workspaceId} and i.id = any(${ids}::text[])`)}) behind`,
          most
        )
    )

    const ofMute = findOne(
      Muted,
      (workspaceId: WorkspaceId, id: MuteId, most: number) =>
        counted(
          sql`
          select m.workspace_id, x.id, m.id from mutes x join monitors m on m.workspace_id = x.workspace_id and ${
            sql.literal(covers)
          }
          where x.workspace_id = ${workspaceId} and x.id = ${id}`,
          most
        )
    )

    const found = findOne(
      Schema.Struct({ muted: Cause }),
      (workspaceId: WorkspaceId, id: MonitorId) =>
        sql`/* one plan */ select muted from (${mutedNow(sql, sql`${workspaceId}`, sql`select ${id}::text`)}) found`
    )

    return {
      /** The monitors that a mute covers now. */
      ofMute: (workspaceId: WorkspaceId, id: MuteId, most: number) =>
        Effect.map(ofMute(workspaceId, id, most), Option.getOrElse((): Muted => ({ count: 0, monitors: [] }))),
      /** The source that keeps back the alerts about a monitor; null if nothing does. */
      causeOf: (workspaceId: WorkspaceId, id: MonitorId) =>
        Effect.map(found(workspaceId, id), (row) => Option.getOrNull(Option.map(row, ({ muted }) => muted))),
      /** The monitors of maintenance windows, by the window's id; those that mute none are missing. */
      ofWindows: Effect.fn("MutedMonitors.ofWindows")(
        function*(workspaceId: WorkspaceId, ids: ReadonlyArray<IncidentId>, most: number) {
          const rows = ids.length === 0 ? [] : yield* ofWindows(workspaceId, ids, most)
          return new Map(rows.map(({ id, ...muted }) => [id, muted]))
        }
      )
    }
  })
}) {}
