/** Reads what metrics show of a workspace's monitors, in pages of bounded size. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { MonitorFigure } from "../../domain/monitor/MonitorMetrics.ts"
import { monitorTables, shown } from "./ShownState.ts"

export class MonitorFigures extends Effect.Service<MonitorFigures>()("belltower/MonitorFigures", {
  effect: Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(`
      m.id, m.name, m.kind, ${shown.state} as state, (extract(epoch from ${shown.stateSince}) * 1000)::float8 as since,
      (extract(epoch from (last.check->>'at')::timestamptz) * 1000)::float8 as "lastAt",
      (last.check->>'latencyMs')::float8 as "latencyMs", last.check->>'outcome' as outcome`)
    const tables = sql.literal(`${monitorTables} cross join lateral (select ${shown.lastCheck} as check) last`)
    return {
      /** In order of id, after `after`. By the index on (workspace_id, id). */
      page: (workspaceId: WorkspaceId, after: string, limit: number): Effect.Effect<ReadonlyArray<MonitorFigure>> =>
        Effect.orDie(sql<MonitorFigure>`
          select ${columns} from ${tables} where m.workspace_id = ${workspaceId} and m.id > ${after} order by m.id limit ${limit}`)
    }
  })
}) {}
