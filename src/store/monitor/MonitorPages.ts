/** Reads pages of a workspace's monitors for lists, without headers and bodies, at a cost that large monitors do not raise. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { MonitorState } from "../../../schema/monitor/Monitor.ts"
import type { MonitorSource } from "../../domain/monitor/MonitorRecord.ts"
import type { Span } from "../../domain/monitor/Uptime.ts"
import { monitorTables, shown } from "./ShownState.ts"

/** A monitor of a list. PostgreSQL makes it as JSON, with times as texts: decoding by a schema would cost more than all the rest. */
export interface ListedMonitor extends MonitorSource<string> {
  /** The states since `spansFrom`, in order. */
  readonly spans: ReadonlyArray<Span>
  readonly lastRoundAt: number | null
  readonly heardAt: number | null
  /** The time of the last edit, ms since 1970. */
  readonly changedAt: number
  readonly headerNames: ReadonlyArray<string>
  readonly hasBody: boolean
  /** The sealed headers and body, only if the row does not say what they contain: an earlier version wrote it. */
  readonly sealed: string | null
  readonly tokenSealed: string | null
}

export interface PageRequest {
  readonly state: MonitorState | null
  readonly tag: string | null
  /** The page begins after this id; empty for the first. */
  readonly after: string
  readonly limit: number
}

/** A page holds fewer monitors if their settings take more than this together, bytes of JSON. */
const mostBytes = 1024 * 1024

export class MonitorPages extends Effect.Service<MonitorPages>()("belltower/MonitorPages", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const text = (time: string) => `to_char((${time}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    const columns = sql.literal(`
      m.id, m.name, m.description, m.kind, m.target, m.interval_sec as "intervalSec", m.timeout_ms as "timeoutMs",
      m.failure_threshold as "failureThreshold", m.recovery_threshold as "recoveryThreshold", m.channel_ids as "channelIds",
      m.reminder_minutes as "reminderMinutes", m.ai, m.tags, m.paused, m.regions, ${text("m.created_at")} as "createdAt",
      ${text("m.updated_at")} as "updatedAt", (extract(epoch from m.updated_at) * 1000)::float8 as "changedAt",
      coalesce(m.header_names, '{}') as "headerNames", coalesce(m.has_body, false) as "hasBody",
      case when m.outlined_revision is distinct from m.revision then m.sealed end as sealed,
      ${shown.state} as state, ${text(shown.stateSince)} as "stateSince", ${shown.lastCheck} as "lastCheck",
      s.incident_id as "incidentId", ${shown.lastRoundAt} as "lastRoundAt", ${shown.heardAt} as "heardAt",
      h.token_sealed as "tokenSealed", octet_length(m.target::text) + coalesce(octet_length(m.description), 0) as octets`)
    const tables = sql.literal(monitorTables)
    const state = sql.literal(shown.state)

    /** By the index on (workspace_id, id). A filter by state or tag may pass over all monitors of the workspace. */
    const page = (workspaceId: WorkspaceId, { after, limit, state: wanted, tag }: PageRequest, spansFrom: Date) =>
      sql<{ readonly monitor: ListedMonitor; readonly found: number }>`
        with page as (
          select ${columns} from ${tables}
          where m.workspace_id = ${workspaceId} and m.id > ${after} and (${tag}::text is null or ${tag}::text = any(m.tags))
            and (${wanted}::text is null or ${state} = ${wanted}::text)
          order by m.id limit ${limit + 1}
        ), measured as (
          select page.*, sum(octets) over (order by id) - octets as before, count(*) over ()::int as found from page
        )
        select to_json(listed) as monitor, found from (
          select measured.*, coalesce((
            select json_agg(json_build_object(
              'state', span.state, 'startedAt', (extract(epoch from span.started_at) * 1000)::float8,
              'endedAt', (extract(epoch from span.ended_at) * 1000)::float8) order by span.started_at)
            from monitor_spans span
            where span.workspace_id = ${workspaceId} and span.monitor_id = measured.id
              and (span.ended_at is null or span.ended_at > ${spansFrom})
          ), '[]') as spans
          from measured where before < ${mostBytes} order by id limit ${limit}
        ) listed`

    return {
      /** The monitors of a page in order of id, and whether others follow. Uptime counts from `spansFrom`. */
      read: (workspaceId: WorkspaceId, request: PageRequest, spansFrom: Date) =>
        Effect.orDie(Effect.map(page(workspaceId, request, spansFrom), (rows) => ({
          monitors: rows.map(({ monitor }) => monitor),
          more: rows.length < (rows[0]?.found ?? 0)
        })))
    }
  })
}) {}
