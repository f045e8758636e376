/** The rows of runs and of what their pings printed. `SignalLog` writes them. */
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import type { MonitorId, RunId, WorkspaceId } from "../../../schema/Ids.ts"
import { JobLog, JobRun, type RunState } from "../../../schema/monitor/JobRun.ts"
import { idTime } from "../../domain/tools/Id.ts"
import { findAll, findOne, write } from "../postgres/Queries.ts"

interface RunKey {
  readonly workspaceId: WorkspaceId
  readonly monitorId: MonitorId
  readonly runId: RunId
}

export interface RunFilter {
  readonly state: RunState | null
  /** Text in what it printed or in its error, in any case. */
  readonly search: string | null
  readonly before: RunId | null
  readonly limit: number
}

const time = Schema.DateTimeUtcFromDate

const RunRow = Schema.Struct({
  ...JobRun.fields,
  startedAt: Schema.NullOr(time),
  endedAt: Schema.NullOr(time)
})

const LogRow = Schema.Struct({ ...JobLog.fields, at: time })

/** The logs of a run that are read. */
const mostLogs = 100

/** Escapes what `like` would read as a pattern. */
const literally = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`

export class JobRuns extends Effect.Service<JobRuns>()("belltower/JobRuns", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const columns = sql`
      id, monitor_id as "monitorId", state, rid, started_at as "startedAt", ended_at as "endedAt", duration_ms as "durationMs",
      exit_code as "exitCode", error, log_bytes as "logBytes"`

    /** By the index on the monitor and the time, newest first. */
    const page = findAll(
      RunRow,
      (workspaceId: WorkspaceId, monitorId: MonitorId, { before, limit, search, state }: RunFilter) =>
        sql`
        select ${columns} from job_runs r
        where r.monitor_id = ${monitorId} and r.workspace_id = ${workspaceId}
          ${
          before === null
            ? sql``
            : sql`and (r.at, r.id) < (to_timestamp(${idTime(before) ?? 0}::float8 / 1000), ${before})`
        }
          ${state === null ? sql`` : sql`and r.state = ${state}`}
          ${
          search === null ? sql`` : sql`and (r.error ilike ${literally(search)} or r.output ilike ${literally(search)} or exists (
            select 1 from job_logs l where l.monitor_id = r.monitor_id and l.run_id = r.id and l.text ilike ${
            literally(search)
          }))`
        }
        order by r.at desc, r.id desc limit ${limit}`
    )

    const one = findOne(RunRow, (workspaceId: WorkspaceId, id: RunId, at: number) =>
      sql`
        select ${columns} from job_runs
        where id = ${id} and at = to_timestamp(${at}::float8 / 1000) and workspace_id = ${workspaceId}`)

    const logs = findAll(LogRow, (workspaceId: WorkspaceId, monitorId: MonitorId, id: RunId) =>
      sql`
        select * from (
          (select at, 'end' as signal, log_bytes as bytes, output as text from job_runs
          where id = ${id} and at = to_timestamp(${idTime(id) ?? 0}::float8 / 1000) and workspace_id = ${workspaceId}
            and output is not null)
          union all
          (select at, signal, octets, text from job_logs
          where monitor_id = ${monitorId} and run_id = ${id} and workspace_id = ${workspaceId}
          order by at desc limit ${mostLogs})
        ) newest order by at`)

    return {
      page,
      /** The run of an id. Its partition is that of the time in the id. */
      find: (workspaceId: WorkspaceId, id: RunId) => one(workspaceId, id, idTime(id) ?? 0),
      /** The output of its pings, oldest first: the newest 100. */
      logs,
      /** Marks runs that still run as too long, in the caller's transaction. */
      markOverdue: (keys: ReadonlyArray<RunKey>) =>
        write(sql`
          update job_runs r set state = 'overdue'
          from unnest(${keys.map(({ workspaceId }) => workspaceId)}::text[], ${keys.map(({ runId }) => runId)}::text[],
            ${keys.map(({ runId }) => idTime(runId))}::float8[]) as late (workspace_id, id, millis)
          where r.id = late.id and r.at = to_timestamp(late.millis / 1000) and r.workspace_id = late.workspace_id
            and r.state = 'running'`)
    }
  })
}) {}
