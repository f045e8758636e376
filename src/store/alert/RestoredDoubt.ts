/**
 * Whether a trouble that a restored database shows is still one. Nobody is paged about it before that is known, however long after the
 * restore the processes start.
 */
import type { SqlClient, Statement } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { findSingle } from "../postgres/Queries.ts"

/** Without rounds of checks nothing is confirmed: people then have so long from the start on, and jobs their whole time, s. */
const patience = 600

/** After a start, a job that runs more rarely than this is not waited for longer, s. (As in `src/domain/monitor/job/Heartbeat.ts`.) */
const oftenSec = 3600

/**
 * Whether what began at `began` is in doubt: it was restored, and no round of checks of the monitor `m` with the state `s` has failed
 * since. Without rounds, processes have not listened for long enough.
 */
export const isInDoubt = (sql: SqlClient.SqlClient, began: Statement.Fragment, now: DateTime.Utc): Statement.Fragment => {
  const at = sql`${DateTime.toDateUtc(now)}::timestamptz`
  return sql`
    (m.paused is not true and exists (
      select from restores r where ${began} < r.restored_at and case when s.machine->>'lastRoundAt' is null
        then ${at} < make_interval(secs => greatest(
            ${patience}, least((m.target->>'periodSec')::float8, ${oftenSec}) + (m.target->>'graceSec')::float8
          )) + coalesce((select min(since) from listeners where beat_at > ${at} - interval '10 seconds'), ${at})
        else (s.machine->>'lastRoundAt')::float8 < extract(epoch from r.restored_at) * 1000 or (s.machine->>'successes')::int > 0
      end))`
}

/** Whether an incident that opened at `openedAt` is in doubt; that of components has no monitor. */
export const makeIncidentDoubt = (sql: SqlClient.SqlClient) => {
  const find = findSingle(
    Schema.Struct({ inDoubt: Schema.Boolean }),
    (workspaceId: WorkspaceId, monitorId: MonitorId | null, openedAt: DateTime.Utc, now: DateTime.Utc) =>
      sql`
      select ${isInDoubt(sql, sql`${DateTime.toDateUtc(openedAt)}::timestamptz`, now)} as "inDoubt"
      from (select 1) one
      left join monitors m on m.workspace_id = ${workspaceId} and m.id = ${monitorId}
      left join monitor_states s on s.monitor_id = m.id`
  )
  return (...input: Parameters<typeof find>) => Effect.map(find(...input), ({ inDoubt }) => inDoubt)
}
