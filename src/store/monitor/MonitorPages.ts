/**
 * Reads monitors as they are shown: pages of a workspace for lists, without headers and bodies, at a cost that large monitors do not
 * raise, and single ones.
 */
import { SqlClient, type Statement } from "@effect/sql"
import { Effect, Option } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { MonitorState } from "../../../schema/monitor/Monitor.ts"
import type { MonitorKind } from "../../../schema/monitor/MonitorKind.ts"
import type { MonitorSource } from "../../domain/monitor/MonitorRecord.ts"
import { storedFields } from "../../domain/monitor/MonitorRecordText.ts"
import type { WindowSpans } from "../../domain/monitor/SpanTotals.ts"
import { mapRead, type Read, readRows } from "../postgres/Read.ts"
import { monitorTables, shown, shownAs } from "./ShownState.ts"
import { windowSpans } from "./SpanTotals.ts"

/** A monitor as it is shown. PostgreSQL makes it as JSON, with times as texts: decoding by a schema would cost more than all the rest. */
export interface ShownMonitor extends MonitorSource<string> {
  /** Null if it has none. */
  readonly spans: WindowSpans | null
  readonly lastRoundAt: number | null
  readonly heardAt: number | null
  /** The time of the last edit, ms since 1970. */
  readonly changedAt: number
  readonly headerNames: ReadonlyArray<string>
  readonly hasBody: boolean
  /** The sealed headers and body; in a list only if the row does not say what they contain: an earlier version wrote it. */
  readonly sealed: string | null
  readonly tokenSealed: string | null
  /** About how many bytes of JSON its settings take. */
  readonly octets: number
}

/** What the rest of a listed record is computed from. */
const factNames = [
  "id",
  "kind",
  "target",
  "paused",
  "intervalSec",
  "timeoutMs",
  "changedAt",
  "lastRoundAt",
  "heardAt",
  "headerNames",
  "hasBody",
  "sealed",
  "tokenSealed",
  "octets"
] as const

/** A monitor of a list. */
export interface ListedMonitor {
  /** The fields of its record that are shown as they are stored, as JSON: never parsed here. */
  readonly stored: string
  readonly facts: Pick<ShownMonitor, typeof factNames[number] | "spans">
}

/** What the monitors of a list have in common; null for any. */
export interface MonitorFilter {
  readonly state: MonitorState | null
  readonly kind: MonitorKind | null
  readonly tag: string | null
  readonly region: string | null
  /** A text in the name, the URL or the host, in either case of letters. */
  readonly search: string | null
}

export interface PageRequest extends MonitorFilter {
  /** The page begins after this id; empty for the first. */
  readonly after: string
  readonly limit: number
}

/** A page holds fewer monitors if their settings take more than this together, bytes of JSON. */
const mostBytes = 1024 * 1024

/** The rows of one answer of the database are parsed in one turn of the event loop: about 5 ms for these. */
const mostAtOnce = 200

export class MonitorPages extends Effect.Service<MonitorPages>()("belltower/MonitorPages", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const text = (time: string) => `to_char((${time}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    const columnsWith = (sealed: string, incident: string) =>
      sql.literal(`
      m.id, m.name, m.description, m.kind, m.target, m.interval_sec as "intervalSec", m.timeout_ms as "timeoutMs",
      m.failure_threshold as "failureThreshold", m.recovery_threshold as "recoveryThreshold",
      m.confirm_after_sec as "confirmAfterSec", m.failure_rate as "failureRate", m.channel_ids as "channelIds",
      m.reminder_minutes as "reminderMinutes", m.depends_on as "dependsOn", m.ai, m.tags, m.paused, m.regions, ${
        text("m.created_at")
      } as "createdAt",
      ${text("m.updated_at")} as "updatedAt", (extract(epoch from m.updated_at) * 1000)::float8 as "changedAt",
      coalesce(m.header_names, '{}') as "headerNames", coalesce(m.has_body, false) as "hasBody",
      ${sealed} as sealed,
      ${shown.state} as state, ${text(shown.stateSince)} as "stateSince", ${shown.lastCheck} as "lastCheck",
      s.incident_id as "${incident}", ${shown.lastRoundAt} as "lastRoundAt", ${shown.heardAt} as "heardAt",
      h.token_sealed as "tokenSealed", octet_length(m.target::text) + coalesce(octet_length(m.description), 0) as octets`)
    const columns = columnsWith("m.sealed", "incidentId")
    const listedColumns = columnsWith(
      "case when m.outlined_revision is distinct from m.revision then m.sealed end",
      "openIncidentId"
    )
    const of = (names: ReadonlyArray<string>) => sql.literal(names.map((name) => `one."${name}"`).join(", "))
    const tables = sql.literal(monitorTables)

    /** The name and the address. Code can be long, so it is never read for this. */
    const searched = sql.literal(`(m.name || chr(10) ||
      case when m.kind in ('script', 'browser') then '' else coalesce(m.target->>'url', m.target->>'host', '') end)`)

    const matches = ({ kind, region, search, state, tag }: MonitorFilter): ReadonlyArray<Statement.Fragment> => [
      ...(kind === null ? [] : [sql`m.kind = ${kind}`]),
      ...(tag === null ? [] : [sql`${tag} = any(m.tags)`]),
      ...(region === null ? [] : [sql`${region} = any(m.regions)`]),
      // The prefix makes the rest a literal text: twice as fast as a comparison of texts in lower case.
      ...(search === null ? [] : [sql`${searched} ~* ${`***=${search}`}`]),
      ...(state === null ? [] : [sql`${sql.literal(shownAs[state])}`])
    ]

    /**
     * By the index on (workspace_id, id), or for a state by those on states and pauses. The other filters may pass over all
     * monitors of the workspace.
     */
    const page = (workspaceId: WorkspaceId, request: PageRequest, now: number, bytes: number) => {
      const { after, limit } = request
      return (
        sql<ListedMonitor & { readonly found: number }>`
        with page as (
          select ${listedColumns} from ${tables}
          where ${
          sql.and([
            sql`m.workspace_id = ${workspaceId}`,
            sql`s.workspace_id = ${workspaceId}`,
            sql`m.id > ${after}`,
            sql`s.monitor_id > ${after}`,
            ...matches(request)
          ])
        }
          order by m.id limit ${limit + 1}
        ), measured as (
          select page.*, sum(octets) over (order by id) - octets as before, count(*) over ()::int as found from page
        )
        select to_json(stored)::text as stored, to_json(facts) as facts, found
        from (select * from measured where before < ${bytes} order by id limit ${limit}) one
        cross join lateral (select ${of(storedFields)}) stored
        cross join lateral (
          select ${of(factNames)}, ${windowSpans(sql, workspaceId, sql.literal("one.id"), now)} as spans
        ) facts
        order by one.id`
      )
    }

    /** The monitors of a page in order of id, and whether others follow. Uptime counts until `now` (ms). */
    const read = Effect.fnUntraced(function*(workspaceId: WorkspaceId, request: PageRequest, now: number) {
      const monitors: Array<ListedMonitor> = []
      let bytes = mostBytes
      while (true) {
        const limit = Math.min(mostAtOnce, request.limit - monitors.length)
        const after = monitors.at(-1)?.facts.id ?? request.after
        const rows = yield* page(workspaceId, { ...request, after, limit }, now, bytes)
        for (const row of rows) {
          monitors.push(row)
          bytes -= row.facts.octets
        }
        const more = rows.length < (rows[0]?.found ?? 0)
        if (!more || bytes <= 0 || rows.length < limit || monitors.length === request.limit) return { monitors, more }
      }
    }, Effect.orDie)

    /** One monitor, with its sealed headers and body. Uptime counts until `now` (ms). */
    const readOne = (workspaceId: WorkspaceId, id: string, now: number): Read<Option.Option<ShownMonitor>> =>
      mapRead(
        readRows(sql<{ readonly monitor: ShownMonitor }>`
          select to_json(shown) as monitor from (
            select ${columns}, ${windowSpans(sql, workspaceId, sql.literal("m.id"), now)} as spans from ${tables}
            where m.workspace_id = ${workspaceId} and m.id = ${id}
          ) shown`),
        ([row]) => Effect.succeed(Option.fromNullable(row?.monitor))
      )

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

    return { counts, read, readOne }
  })
}) {}
