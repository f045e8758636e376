/** What the probes are told: the assignment of each monitor, and the outbox of those yet to be told. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import type { Assignment } from "../../schema/Bus.ts"
import { MonitorId, WorkspaceId } from "../../schema/Ids.ts"
import { ProbeTarget } from "../../schema/Monitor.ts"
import { RegionId } from "../../schema/Region.ts"

const AssignmentRow = Schema.Struct({
  monitorId: MonitorId,
  workspaceId: WorkspaceId,
  revision: Schema.Int,
  changedAt: Schema.DateTimeUtcFromDate,
  intervalSec: Schema.Int,
  timeoutMs: Schema.Int,
  regions: Schema.Array(RegionId),
  target: ProbeTarget,
  sealed: Schema.NullOr(Schema.String)
})

const OutboxLine = Schema.Struct({
  monitorId: MonitorId,
  workspaceId: WorkspaceId,
  sequence: Schema.Number
})
export type OutboxLine = typeof OutboxLine.Type
export type MonitorKey = Pick<OutboxLine, "workspaceId" | "monitorId">

const toAssignment = (row: typeof AssignmentRow.Type): Assignment => ({
  ...row,
  changedAt: DateTime.toEpochMillis(row.changedAt)
})

export class Assignments extends Effect.Service<Assignments>()("belltower/Assignments", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(`
      id as "monitorId", workspace_id as "workspaceId", revision, updated_at as "changedAt", interval_sec as "intervalSec",
      timeout_ms as "timeoutMs", regions, target, sealed`)

    // A heartbeat reports by itself: no probe looks at it.
    const probed = sql.literal("not paused and kind <> 'heartbeat'")

    const page = SqlSchema.findAll({
      Request: Schema.Struct({ after: Schema.String, limit: Schema.Int }),
      Result: AssignmentRow,
      execute: ({ after, limit }) =>
        sql`select ${columns} from monitors where ${probed} and id > ${after} order by id limit ${limit}`
    })

    const of = SqlSchema.findAll({
      Request: Schema.Struct({ workspaceIds: Schema.Array(WorkspaceId), ids: Schema.Array(MonitorId) }),
      Result: AssignmentRow,
      execute: ({ ids, workspaceIds }) => sql`
        select ${columns} from monitors
        where workspace_id = any(${workspaceIds}::text[]) and id = any(${ids}::text[]) and ${probed}`
    })

    const waiting = SqlSchema.findAll({
      Request: Schema.Int,
      Result: OutboxLine,
      execute: (limit) => sql`
        select monitor_id as "monitorId", workspace_id as "workspaceId", sequence::float8 as sequence
        from assignment_outbox order by sequence limit ${limit}`
    })

    return {
      /** All assignments of the deployment in pages by id: what a topic that lost them is filled from. */
      page: (after: string, limit: number) =>
        Effect.orDie(Effect.map(page({ after, limit }), (rows) => rows.map(toAssignment))),
      /** The assignments of these monitors; those paused, deleted or without a probe have none. */
      of: (lines: ReadonlyArray<MonitorKey>) =>
        Effect.orDie(Effect.map(
          of({ workspaceIds: lines.map((line) => line.workspaceId), ids: lines.map((line) => line.monitorId) }),
          (rows) => rows.map(toAssignment)
        )),
      /** The oldest lines of the outbox. */
      waiting: (limit: number) => Effect.orDie(waiting(limit)),
      /** Strikes lines off that were told, unless an edit came after. */
      told: (lines: ReadonlyArray<OutboxLine>) =>
        Effect.asVoid(Effect.orDie(sql`
          delete from assignment_outbox o
          using unnest(${lines.map((line) => line.monitorId)}::text[], ${lines.map((line) => line.sequence)}::float8[])
            as line (id, sequence)
          where o.monitor_id = line.id and o.sequence = line.sequence`)),
      /** Whether a monitor still exists. */
      exists: (line: OutboxLine) =>
        Effect.orDie(Effect.map(
          sql`select 1 from monitors where workspace_id = ${line.workspaceId} and id = ${line.monitorId}`,
          (rows) => rows.length > 0
        )),
      /** Deletes the checks of a monitor that is gone. */
      forget: (line: OutboxLine) =>
        Effect.asVoid(Effect.orDie(
          sql`delete from checks where workspace_id = ${line.workspaceId} and monitor_id = ${line.monitorId}`
        ))
    }
  })
}) {}
