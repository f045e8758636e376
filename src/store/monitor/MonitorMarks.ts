/** Checks cheaply whether monitors changed: one query for all that somebody waits for. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { monitorTables, shown } from "./ShownState.ts"

export interface MonitorKey {
  readonly workspaceId: WorkspaceId
  readonly id: string
}

export class MonitorMarks extends Effect.Service<MonitorMarks>()("belltower/MonitorMarks", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return {
      /**
       * A text for each monitor that exists, by its id. It differs from the one before if the monitor's state or newest check does. By
       * primary keys.
       */
      read: (keys: ReadonlyArray<MonitorKey>): Effect.Effect<ReadonlyMap<string, string>> =>
        Effect.map(
          Effect.orDie(sql<{ readonly id: string; readonly mark: string }>`
            select m.id, concat_ws(' ', ${sql.literal(shown.state)}, (${sql.literal(shown.lastCheck)})->>'id') as mark
            from unnest(${keys.map(({ workspaceId }) => workspaceId)}::text[], ${keys.map(({ id }) => id)}::text[])
              as wanted (workspace_id, id), ${sql.literal(monitorTables)}
            where m.workspace_id = wanted.workspace_id and m.id = wanted.id`),
          (rows) => new Map(rows.map(({ id, mark }) => [id, mark]))
        )
    }
  })
}) {}
