/** Which monitors the running mutes of their workspace cover, as parts of statements. */
import type { SqlClient, Statement } from "@effect/sql"
import { areRunning, monitorsInMaintenance } from "../incident/MaintenanceScope.ts"
import { timeText } from "../postgres/TimeText.ts"

/** How long a mute that no process has ended keeps alerts back after its end, seconds. */
const endTime = 30

/** Whether the mute `x` runs. By the index of running mutes, which is empty in a workspace without one. */
export const isMuting = `x.ended_at is null and x.until + interval '${endTime} seconds' > now()`

/** Whether the mute `x` covers the monitor `m`. A drill rehearses alerts, so a mute of all monitors leaves its monitor out. */
export const covers = `(m.id = any(x.monitor_ids) or m.tags && x.tags or (x.everything and not exists (
    select from drills d where d.workspace_id = m.workspace_id and d.monitor_id = m.id and d.finished_at is null)))`

/** Until when the monitor `m` is muted, as the row `muted` with the column `until`; null if it is not. */
export const mutedUntil = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`
    left join lateral (
      select max(x.until) + make_interval(secs => ${endTime}) as until from mutes x
      where x.workspace_id = m.workspace_id and ${sql.literal(isMuting)} and ${sql.literal(covers)}
    ) muted on true`

/** `Muted` as JSON, from expressions. */
export const mutedJson = (until: string, muteId: string, incidentId: string, reason: string): string =>
  `json_build_object('until', ${timeText(until)}, 'muteId', ${muteId}, 'incidentId', ${incidentId}, 'reason', ${reason})`

/**
 * The sources that keep back alerts now: a row `monitor_id`, `until`, `muted` for each monitor that a mute or a running maintenance window
 * covers, with what lasts longest. `muted` is JSON as `Muted`. `monitorIds` selects ids. Reads nothing but two indexes if there is neither.
 */
export const mutedNow = (
  sql: SqlClient.SqlClient,
  workspaceId: Statement.Fragment,
  monitorIds: Statement.Fragment
): Statement.Fragment =>
  sql`
    select distinct on (monitor_id) monitor_id, until, ${
    sql.literal(mutedJson("until", "mute_id", "incident_id", "reason"))
  } as muted
    from (
      select m.id as monitor_id, x.until, x.id as mute_id, null as incident_id, x.reason
      from mutes x join monitors m on m.workspace_id = x.workspace_id and ${sql.literal(covers)}
      where x.workspace_id = ${workspaceId} and ${sql.literal(isMuting)} and m.id in (${monitorIds})
      union all
      select running.monitor_id, i.scheduled_end, null, i.id, i.title
      from (${monitorsInMaintenance(sql, areRunning(sql, sql`= ${workspaceId}`))}) running
      join incidents i on i.workspace_id = running.workspace_id and i.id = running.incident_id
      where running.monitor_id in (${monitorIds})
    ) found
    order by monitor_id, until desc, mute_id, incident_id`
