/**
 * Reads monitors as they are shown: pages of a workspace for lists, without headers and bodies, at a cost that large monitors do not
 * raise, and single ones.
 */
import { SqlClient, type Statement } from "@effect/sql"
import { Array as Arr, Effect, Option } from "effect"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { recordSettings, type Target } from "../../../schema/monitor/kinds.ts"
import type { MonitorSort, MonitorState } from "../../../schema/monitor/Monitor.ts"
import type { MonitorKind } from "../../../schema/monitor/MonitorKind.ts"
import { unsetSettings } from "../../domain/monitor/MonitorRecord.ts"
import { storedFields } from "../../domain/monitor/MonitorRecordText.ts"
import type { View } from "../../domain/monitor/settings/MaskedSettings.ts"
import { windowBorders } from "../../domain/monitor/SpanTotals.ts"
import { mutedNow } from "../alert/MuteScope.ts"
import { mapRead, type Read, readRows } from "../postgres/Read.ts"
import { timeText } from "../postgres/TimeText.ts"
import type { ShownMonitor } from "./ShownMonitor.ts"
import { monitorTables, shown, shownAs } from "./ShownState.ts"
import { maintenanceSpans, maintenanceTimes, windowSpans } from "./SpanTotals.ts"

/** The fields from which the rest of a listed record is computed. */
const factNames = [
  "id",
  "kind",
  "paused",
  "intervalSec",
  "timeoutMs",
  "changedAt",
  "lastRoundAt",
  "heardAt",
  "headerNames",
  "hasBody",
  "hasClientKey",
  "hasClientSecret",
  "tokenSealed",
  "awaits"
] as const

type Facts = Pick<ShownMonitor, typeof factNames[number] | "spans" | "maintenance" | "muted">

export interface ListedMonitor {
  /** The fields of its record that are shown as they are stored: an object of JSON without its last brace, never parsed here. */
  readonly stored: string
  /** Its target, if the viewer sees that masked; otherwise `stored` has its settings. */
  readonly facts: Facts & { readonly target?: Target }
}

/** Some monitors of a page. */
interface PageRow {
  /** The stored part of each: JSON without its last brace, a line each. */
  readonly stored: string
  readonly facts: ReadonlyArray<ListedMonitor["facts"]>
}

interface Chosen {
  readonly id: MonitorId
}

/** The filter of a list; null for any. */
export interface MonitorFilter {
  readonly state: MonitorState | null
  readonly kind: MonitorKind | null
  readonly tag: string | null
  readonly region: string | null
  /** A text in the name, the URL or the host, in either case of letters. */
  readonly search: string | null
}

export interface PageRequest extends MonitorFilter {
  readonly sort: MonitorSort
  /** The page begins after this id; empty for the first. */
  readonly after: string
  readonly limit: number
}

/** Which monitors are meant: those with these ids, or those that match. */
export interface Selection {
  readonly ids?: ReadonlyArray<MonitorId>
  readonly tag?: string
  readonly search?: string
}

/** The states in the order of what needs attention. */
const worstFirst = ["down", "degraded", "pending", "up", "paused"] as const satisfies ReadonlyArray<MonitorState>

/** A page holds fewer monitors if their settings take more than this together, bytes of JSON. */
const mostBytes = 1024 * 1024

/**
 * Monitors of one row. A row for each would cost twice as much to read, and texts of more than 128 KiB would only leave memory with
 * a collection of the whole heap.
 */
const mostInRow = 50

const isByName = (sort: MonitorSort): boolean => sort === "name" || sort === "state"

const settingNames = ["kind", ...Object.keys(recordSettings)]

export class MonitorPages extends Effect.Service<MonitorPages>()("belltower/MonitorPages", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const columns = sql.literal(`
      m.id, m.name, m.description, m.kind, ${shown.target} as target, m.interval_sec as "intervalSec", m.timeout_ms as "timeoutMs",
      m.failure_threshold as "failureThreshold", m.recovery_threshold as "recoveryThreshold",
      m.confirm_after_sec as "confirmAfterSec", m.failure_rate as "failureRate", m.channel_ids as "channelIds",
      m.reminder_minutes as "reminderMinutes", m.depends_on as "dependsOn", m.urgency, m.ai, m.tags, m.paused, m.regions, ${
      timeText("m.created_at")
    } as "createdAt",
      ${timeText("m.updated_at")} as "updatedAt", (extract(epoch from m.updated_at) * 1000)::float8 as "changedAt",
      m.header_names as "headerNames", m.has_body as "hasBody", m.target ? 'clientCertificate' as "hasClientKey",
      m.target->>'clientId' is not null as "hasClientSecret",
      ${shown.state} as state, ${timeText(shown.stateSince)} as "stateSince", ${shown.lastCheck} as "lastCheck",
      ${shown.openIncidentId} as "openIncidentId", ${shown.lastRoundAt} as "lastRoundAt", ${shown.heardAt} as "heardAt",
      h.token_sealed as "tokenSealed", ${shown.awaits} as awaits, octet_length(m.target::text) + coalesce(octet_length(m.description), 0) as octets`)
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

    /** A target with the settings of all kinds. Another version may have stored settings that no record shows. */
    const settings = sql`
      (${JSON.stringify(unsetSettings)}::jsonb->one.kind || case when one.target - ${settingNames}::text[] = '{}' then one.target
        else (select jsonb_object_agg(key, value) from jsonb_each(one.target) where key = any(${settingNames})) end)::text`
    const storedWith: Readonly<Record<View, { readonly text: Statement.Fragment; readonly facts: Statement.Fragment }>> = {
      writer: { text: sql`left(to_json(stored)::text, -1) || ',' || left(substr(${settings}, 2), -1)`, facts: of(factNames) },
      reader: { text: sql`left(to_json(stored)::text, -1)`, facts: of([...factNames, "target"]) }
    }

    /** The monitors of the workspace after the last one of the page before, by id. */
    const byId = (workspaceId: WorkspaceId, request: PageRequest) => {
      const { after, limit, sort } = request
      const beyond = sort === "newest" && after === "" ? [] : sort === "newest"
        ? [sql`m.id < ${after}`, sql`s.monitor_id < ${after}`]
        : [sql`m.id > ${after}`, sql`s.monitor_id > ${after}`]
      const where = sql.and([
        sql`m.workspace_id = ${workspaceId}`,
        sql`s.workspace_id = ${workspaceId}`,
        ...beyond,
        ...matches(request)
      ])
      const order = sql.literal(sort === "newest" ? "m.id desc" : "m.id")
      return sql<Chosen>`
        select m.id from monitors m join monitor_states s on s.monitor_id = m.id
        where ${where} order by ${order} limit ${limit + 1}`
    }

    /** A page after a monitor that is gone is the first one. */
    const ofLast = (workspaceId: WorkspaceId, after: string) => {
      const ranks = sql.literal(worstFirst.map((state, rank) => `when ${shownAs[state]} then ${rank}`).join(" "))
      return sql`select case ${ranks} end as rank, lower(m.name) as name, m.id from monitors m
        join monitor_states s on s.monitor_id = m.id where m.workspace_id = ${workspaceId} and m.id = ${after}`
    }

    /** The first monitors of a workspace by name, after `last`; with a rank, those of its state. */
    const named = (workspaceId: WorkspaceId, request: PageRequest, rank: number | null) => {
      const { after, limit } = request
      const state = rank === null ? undefined : worstFirst[rank]
      const beyond = rank === null
        ? sql`coalesce((lower(m.name), m.id) > (select name, id from last), true)`
        : sql`${rank}::int >= coalesce((select rank from last), 0)
          and coalesce((${rank}::int, lower(m.name), m.id) > (select rank, name, id from last), true)`
      const where = sql.and([
        sql`m.workspace_id = ${workspaceId}`,
        sql`s.workspace_id = ${workspaceId}`,
        ...(after === "" ? [] : [beyond]),
        ...(state === undefined ? [] : [sql.literal(shownAs[state])]),
        ...matches(request)
      ])
      return sql`(select ${rank ?? 0}::int as rank, lower(m.name) as name, m.id
        from monitors m join monitor_states s on s.monitor_id = m.id
        where ${where} order by lower(m.name), m.id limit ${limit + 1})`
    }

    /** The same by name, or by state and name: of each state as many as the page could show. */
    const byName = (workspaceId: WorkspaceId, request: PageRequest) => {
      const ranks = request.sort === "name"
        ? [null]
        : worstFirst.flatMap((state, rank) => request.state === null || request.state === state ? [rank] : [])
      const parts = ranks.map((rank) => named(workspaceId, request, rank))
      return sql<Chosen>`with last as materialized (${ofLast(workspaceId, request.after)})
        select id from (${sql.join(" union all ", false)(parts)}) found order by rank, name, id limit ${request.limit + 1}`
    }

    /**
     * The ids of a page and of the first monitor behind it: by the index on (workspace_id, id) or on names, or for a state by those on
     * states and pauses. The other filters may pass over all monitors of the workspace.
     */
    const choose = (workspaceId: WorkspaceId, request: PageRequest) =>
      isByName(request.sort) ? byName(workspaceId, request) : byId(workspaceId, request)

    /** As many of these monitors as a page holds. How they were chosen decides nothing here, so one plan serves every list. */
    const page = (workspaceId: WorkspaceId, view: View, ids: ReadonlyArray<MonitorId>, limit: number, now: number) => {
      const { facts, text } = storedWith[view]
      const borders = windowBorders(now)
      return sql<PageRow>`/* one plan */
        with page as (
          select ${columns}, chosen.rank from unnest(${ids}::text[]) with ordinality as chosen (id, rank)
          join (${tables}) on m.id = chosen.id where m.workspace_id = ${workspaceId}
        ), measured as (
          select page.*, sum(octets) over before as before, row_number() over before - 1 as ordinal
          from page window before as (order by rank rows between unbounded preceding and 1 preceding)
        ), planned as materialized (${maintenanceTimes(sql, workspaceId, sql`select id from page`, borders)}),
        muted as materialized (${mutedNow(sql, sql`${workspaceId}`, sql`select id from page`)})
        select string_agg(${text}, chr(10) order by one.rank) as stored, json_agg(facts order by one.rank) as facts
        from (select * from measured where coalesce(before, 0) < ${mostBytes} order by rank limit ${limit}) one
        left join planned on planned.monitor_id = one.id
        left join muted on muted.monitor_id = one.id
        cross join lateral (select ${of(storedFields)}) stored
        cross join lateral (select ${facts}, ${windowSpans(sql, workspaceId, sql.literal("one.id"), borders)} as spans,
          ${
        maintenanceSpans(sql, workspaceId, sql.literal("one.id"), sql.literal("planned.times"))
      } as maintenance, muted.muted) facts
        group by ordinal / ${mostInRow}::int order by min(ordinal)`
    }

    /**
     * The monitors of a page in its order as `write` makes of them, some at a time: what it was made from takes memory only
     * until then. And the last one's id, if others follow. Uptime counts until `now` (ms).
     */
    const read = Effect.fnUntraced(function*<A, E, R>(
      workspaceId: WorkspaceId,
      view: View,
      request: PageRequest,
      now: number,
      write: (monitors: ReadonlyArray<ListedMonitor>) => Effect.Effect<A, E, R>
    ) {
      const ids = (yield* Effect.orDie(choose(workspaceId, request))).map(({ id }) => id)
      const written: Array<A> = []
      if (ids.length === 0) return { written, next: null }
      let [count, last]: [number, MonitorId | null] = [0, null]
      for (const row of yield* Effect.orDie(page(workspaceId, view, ids, request.limit, now))) {
        if (count > 0) yield* Effect.yieldNow()
        const monitors = Arr.zipWith(row.stored.split("\n"), row.facts, (stored, facts) => ({ stored, facts }))
        written.push(yield* write(monitors))
        count += row.facts.length
        last = row.facts.at(-1)?.id ?? last
      }
      return { written, next: count < ids.length ? last : null }
    })

    /** One monitor, with its sealed request secrets. Uptime counts until `now` (ms). */
    const readOne = (workspaceId: WorkspaceId, id: string, now: number): Read<Option.Option<ShownMonitor>> => {
      const borders = windowBorders(now)
      return mapRead(
        readRows(sql<{ readonly monitor: ShownMonitor }>`/* one plan */
          select to_json(shown) as monitor from (
            select ${columns}, m.sealed, ${windowSpans(sql, workspaceId, sql.literal("m.id"), borders)} as spans,
              ${maintenanceSpans(sql, workspaceId, sql.literal("m.id"), sql.literal("planned.times"))} as maintenance, muted.muted
            from ${tables}
            left join (${
          maintenanceTimes(sql, workspaceId, sql`select ${id}::text`, borders)
        }) planned on planned.monitor_id = m.id
            left join (${mutedNow(sql, sql`${workspaceId}`, sql`select ${id}::text`)}) muted on muted.monitor_id = m.id
            where m.workspace_id = ${workspaceId} and m.id = ${id}
          ) shown`),
        ([row]) => Option.fromNullable(row?.monitor)
      )
    }

    /**
     * The ids and names of some monitors, in order of id: of those given, or of all that match. The latter may pass over all
     * monitors of the workspace, by the index on (workspace_id, id).
     */
    const select = (workspaceId: WorkspaceId, { ids, search, tag }: Selection, limit: number) =>
      Effect.orDie(sql<{ readonly id: MonitorId; readonly name: string }>`
        select m.id, m.name from monitors m where ${
        sql.and([
          sql`m.workspace_id = ${workspaceId}`,
          ...(ids === undefined ? [] : [sql`m.id = any(${ids})`]),
          ...matches({
            state: null,
            kind: null,
            region: null,
            tag: tag === undefined || tag === "" ? null : tag,
            search: search === undefined || search === "" ? null : search
          })
        ])
      } order by m.id limit ${limit}`)

    return { read, readOne, select }
  })
}) {}
