/** Counts and measures the monitors of a workspace: how many are in each state and of each tag, and their figures for metrics. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { MonitorState } from "../../../schema/monitor/Monitor.ts"
import type { MonitorFigure } from "../../domain/monitor/MonitorMetrics.ts"
import { monitorTables, shown, shownAs } from "./ShownState.ts"

export interface TagCount {
  readonly tag: string
  readonly monitors: number
  readonly down: number
  readonly degraded: number
}

const mostTags = 500

export class MonitorFigures extends Effect.Service<MonitorFigures>()("belltower/MonitorFigures", {
  effect: Effect.map(SqlClient.SqlClient, (sql) => {
    /**
     * How many monitors of the workspace are shown in each state. The index on the states of a workspace counts all; those that are
     * paused, by their own index, are then taken from the states that they have. A join of all would cost ten times as much.
     */
    const counts = (workspaceId: WorkspaceId): Effect.Effect<Readonly<Record<MonitorState, number>>> =>
      Effect.orDie(Effect.map(
        sql<{ readonly state: MonitorState; readonly paused: boolean; readonly monitors: number }>`
          select state, false as paused, count(*)::int as monitors
          from monitor_states where workspace_id = ${workspaceId} group by state
          union all
          select s.state, true, count(*)::int
          from monitors m join monitor_states s on s.monitor_id = m.id
          where m.workspace_id = ${workspaceId} and m.paused group by s.state`,
        (rows) => {
          const found: Record<MonitorState, number> = { up: 0, down: 0, degraded: 0, pending: 0, paused: 0 }
          for (const { monitors, paused, state } of rows) {
            // The actor has not yet processed the end of the pause.
            const own = state === "paused" ? "pending" : state
            found[own] += paused ? -monitors : monitors
            if (paused) found.paused += monitors
          }
          return found
        }
      ))

    /** The workspace's tags by name, with the monitors that have each. Passes over all monitors of the workspace. */
    const tagCounts = (workspaceId: WorkspaceId) =>
      Effect.orDie(sql<TagCount>`
        select tag, count(*)::int as monitors,
          (count(*) filter (where ${sql.literal(shownAs.down)}))::int as down,
          (count(*) filter (where ${sql.literal(shownAs.degraded)}))::int as degraded
        from monitors m join monitor_states s on s.monitor_id = m.id cross join unnest(m.tags) tag
        where m.workspace_id = ${workspaceId} and s.workspace_id = ${workspaceId}
        group by tag order by lower(tag), tag limit ${mostTags}`)

    const figureColumns = sql.literal(`
      m.id, m.name, m.kind, ${shown.state} as state, (extract(epoch from ${shown.stateSince}) * 1000)::float8 as since,
      (extract(epoch from (last.check->>'at')::timestamptz) * 1000)::float8 as "lastAt",
      (last.check->>'latencyMs')::float8 as "latencyMs", last.check->>'outcome' as outcome`)
    const figureTables = sql.literal(`${monitorTables} cross join lateral (select ${shown.lastCheck} as check) last`)

    /** The figures of monitors for metrics, in order of id, after `after`. By the index on (workspace_id, id). */
    const figures = (workspaceId: WorkspaceId, after: string, limit: number) =>
      Effect.orDie(sql<MonitorFigure>`
        select ${figureColumns} from ${figureTables}
        where m.workspace_id = ${workspaceId} and m.id > ${after} order by m.id limit ${limit}`)

    return { counts, figures, tagCounts }
  })
}) {}
