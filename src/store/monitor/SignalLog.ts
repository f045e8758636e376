/** Writes pings that concern runs of their jobs: locks the heartbeats of a batch, follows their runs, and writes all in one statement. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect } from "effect"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import type { OpenRun } from "../../../schema/monitor/JobRun.ts"
import type { HeartbeatTarget } from "../../../schema/monitor/kinds/heartbeat.ts"
import { pushRegion } from "../../domain/monitor/job/Heartbeat.ts"
import { firstDue, type LogRow, type RunRow, type TakenSignals, takeSignals } from "../../domain/monitor/job/JobRuns.ts"
import { idTime } from "../../domain/tools/Id.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import { longestFallback } from "../../domain/tools/time/FallbackPause.ts"
import { alarmsSignal } from "../Alarms.ts"
import { textArray } from "../postgres/BinaryArrays.ts"
import { Signals } from "../postgres/Signals.ts"
import { encodeSummary, patienceMs, type Ping, pingsPerMinute, type StoredPings } from "./Ping.ts"

/** A locked row. Not decoded by a schema, which would cost as much as all other work on a ping. */
interface LockedRow {
  readonly hash: string
  readonly monitorId: MonitorId
  readonly workspaceId: WorkspaceId
  readonly calm: boolean
  readonly minute: number
  readonly minuteCount: number
  readonly openRuns: ReadonlyArray<OpenRun> | null
  readonly logDay: number
  readonly logBytes: number
  readonly target: HeartbeatTarget
  readonly watched: boolean
}

/** Without an id, no monitor has the token. */
type KnownRow = (LockedRow | { readonly hash: string; readonly monitorId: null; readonly workspaceId: null }) & {
  /** False if another transaction has locked the row, whose other columns are null then. */
  readonly isFree: boolean
}

const isLocked = (row: KnownRow): row is LockedRow & { readonly isFree: true } => row.isFree

/** Within this time the runners look at the alarms anyway, ms. */
const pollMs = Duration.toMillis(longestFallback)

/** A heartbeat after the pings of a batch that are within its limit. */
interface Beat {
  readonly row: LockedRow
  readonly stored: ReadonlyArray<Ping>
  readonly taken: TakenSignals
  readonly calm: boolean
  readonly minute: number
  readonly minuteCount: number
}

const beatOf = (row: LockedRow, pings: ReadonlyArray<Ping>, now: number): Beat => {
  const minute = Math.floor(now / 60_000)
  const spent = row.minute === minute || row.minute === minute + 1 ? row.minuteCount : 0
  const stored = pings.slice(0, Math.max(0, pingsPerMinute - spent))
  const before = { open: row.openRuns ?? [], budget: { day: row.logDay, bytes: row.logBytes } }
  const taken = takeSignals(before, stored, row.target)
  return {
    row,
    stored,
    taken,
    calm: row.calm && taken.checks.every(({ outcome }) => outcome === "up"),
    minute: Math.max(row.minute, minute),
    minuteCount: spent + stored.length
  }
}

const textOrNull = (text: string | null): string | null => (text === null ? null : storable(text))

/** The arrays that the statement unnests. */
const beatColumns = (beats: ReadonlyArray<Beat>) =>
  beats.map(({ calm, minute, minuteCount, row, taken }) => {
    const last = taken.checks.at(-1)
    const armedNow = !calm && taken.checks.length > 0
    const due = firstDue(taken.open, row.target)
    return {
      monitorId: row.monitorId,
      workspaceId: row.workspaceId,
      at: last?.at ?? null,
      last: last === undefined ? null : encodeSummary(last, last.cause),
      calm,
      minute,
      minuteCount,
      open: taken.open.length === 0 ? null : JSON.stringify(taken.open.map((run) => ({ ...run, rid: storable(run.rid) }))),
      due,
      logDay: taken.budget.day,
      logBytes: taken.budget.bytes,
      armedNow
    }
  })

const checkColumns = (beats: ReadonlyArray<Beat>) =>
  beats.flatMap(({ calm, row, taken }) => taken.checks.map((check) => ({ ...check, error: textOrNull(check.error), calm, row })))

const runColumns = (beats: ReadonlyArray<Beat>) =>
  beats.flatMap(({ row, taken }) => taken.runs.map((run: RunRow) => ({ ...run, row, at: idTime(run.id) ?? 0 })))

const logColumns = (beats: ReadonlyArray<Beat>) =>
  beats.flatMap(({ row, taken }) => taken.logs.map((log: LogRow) => ({ ...log, row, at: idTime(log.id) ?? log.at })))

const updatedTable = (sql: SqlClient.SqlClient, beats: ReturnType<typeof beatColumns>) =>
  sql`
        beat as (
          select * from unnest(${beats.map(({ monitorId }) => monitorId)}::text[],
            ${beats.map(({ workspaceId }) => workspaceId)}::text[], ${beats.map(({ at }) => at)}::float8[],
            ${textArray(beats.map(({ last }) => last))}::text[], ${beats.map(({ calm }) => calm)}::boolean[],
            ${beats.map(({ minute }) => minute)}::int[], ${beats.map(({ minuteCount }) => minuteCount)}::int[],
            ${beats.map(({ open }) => open)}::text[], ${beats.map(({ due }) => due)}::float8[],
            ${beats.map(({ logDay }) => logDay)}::int[], ${beats.map(({ logBytes }) => logBytes)}::int[],
            ${beats.map(({ armedNow }) => armedNow)}::boolean[])
            as beat (monitor_id, workspace_id, at, last, calm, minute, minute_count, open_runs, due, log_day, log_bytes, armed_now)
        ), updated as (
          update heartbeats h set
            last_ping_at = case when beat.at is null then h.last_ping_at else greatest(
              case when h.last_ping_at <= to_timestamp(beat.at / 1000) then h.last_ping_at end, to_timestamp(beat.at / 1000)) end,
            last_check = coalesce(beat.last::jsonb, h.last_check), calm = beat.calm, minute = beat.minute,
            minute_count = beat.minute_count, open_runs = beat.open_runs::jsonb, log_day = beat.log_day, log_bytes = beat.log_bytes
          from beat where h.monitor_id = beat.monitor_id and h.workspace_id = beat.workspace_id
        ), armed as (
          insert into alarms (kind, id, workspace_id, due_at)
          select 'monitor', monitor_id, workspace_id,
            case when armed_now then statement_timestamp() else to_timestamp(due / 1000) end
          from beat where armed_now or due is not null order by monitor_id
          on conflict (kind, id) do update set due_at = least(alarms.due_at, excluded.due_at)
            where alarms.workspace_id = excluded.workspace_id
        )`

const checkTables = (sql: SqlClient.SqlClient, checks: ReturnType<typeof checkColumns>) =>
  sql`
        checked as (
          select *, to_timestamp(millis / 1000) as at
          from unnest(${checks.map(({ checkId }) => checkId)}::text[], ${checks.map(({ at }) => at)}::float8[],
            ${checks.map(({ row }) => row.workspaceId)}::text[], ${checks.map(({ row }) => row.monitorId)}::text[],
            ${checks.map(({ outcome }) => outcome)}::text[], ${checks.map(({ latencyMs }) => latencyMs)}::float8[],
            ${checks.map(({ error }) => error)}::text[], ${checks.map(({ cause }) => cause)}::text[],
            ${checks.map(({ calm }) => calm)}::boolean[])
            with ordinality
            as checked (id, millis, workspace_id, monitor_id, outcome, latency_ms, error, cause, calm, ordinal)
        ), written as (
          insert into checks (id, at, workspace_id, monitor_id, region, outcome, counted, latency_ms, error, cause)
          select id, at, workspace_id, monitor_id, ${pushRegion}, outcome, true, latency_ms, error, cause from checked
          on conflict do nothing
          returning id
        ), news as (
          insert into heartbeat_news (monitor_id, check_id, at, outcome, latency_ms, error, cause)
          select monitor_id, id, at, outcome, latency_ms, error, cause from checked
          where not calm and id in (select id from written) order by ordinal
        )`

const runTables = (sql: SqlClient.SqlClient, runs: ReturnType<typeof runColumns>, logs: ReturnType<typeof logColumns>) =>
  sql`
        run as (
          insert into job_runs (id, at, workspace_id, monitor_id, state, rid, started_at, ended_at, duration_ms, exit_code, error,
            log_bytes)
          select id, to_timestamp(at / 1000), workspace_id, monitor_id, state, rid, to_timestamp(started / 1000),
            to_timestamp(ended / 1000), duration, exit_code, error, log_bytes
          from unnest(${runs.map(({ id }) => id)}::text[], ${runs.map(({ at }) => at)}::float8[],
            ${runs.map(({ row }) => row.workspaceId)}::text[], ${runs.map(({ row }) => row.monitorId)}::text[],
            ${runs.map(({ state }) => state)}::text[], ${runs.map(({ rid }) => textOrNull(rid))}::text[],
            ${runs.map(({ startedAt }) => startedAt)}::float8[], ${runs.map(({ endedAt }) => endedAt)}::float8[],
            ${runs.map(({ durationMs }) => durationMs)}::float8[], ${runs.map(({ exitCode }) => exitCode)}::int[],
            ${runs.map(({ error }) => textOrNull(error))}::text[], ${runs.map(({ logBytes }) => logBytes)}::int[])
            as run (id, at, workspace_id, monitor_id, state, rid, started, ended, duration, exit_code, error, log_bytes)
          on conflict (id, at) do update set state = excluded.state, ended_at = excluded.ended_at,
            duration_ms = excluded.duration_ms, exit_code = excluded.exit_code, error = excluded.error,
            log_bytes = job_runs.log_bytes + excluded.log_bytes
        ), log as (
          insert into job_logs (id, at, workspace_id, monitor_id, run_id, signal, octets, text)
          select id, to_timestamp(at / 1000), workspace_id, monitor_id, run_id, signal, octets, text
          from unnest(${logs.map(({ id }) => id)}::text[], ${logs.map(({ at }) => at)}::float8[],
            ${logs.map(({ row }) => row.workspaceId)}::text[], ${logs.map(({ row }) => row.monitorId)}::text[],
            ${logs.map(({ runId }) => runId)}::text[], ${logs.map(({ signal }) => signal)}::text[],
            ${logs.map(({ octets }) => octets)}::int[], ${textArray(logs.map(({ text }) => textOrNull(text)))}::text[])
            as log (id, at, workspace_id, monitor_id, run_id, signal, octets, text)
          on conflict do nothing
        )`

const nothingStored = { stored: 0, locked: false, watched: false }

export const makeSignalLog = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const signals = yield* Signals

  /** The rows of the tokens, locked, with the settings of their monitors. */
  const lock = (hashes: ReadonlyArray<string>, skipLocked: boolean) =>
    sql<KnownRow>`
      with token as (select * from unnest(${hashes}::text[]) as token (hash)), free as materialized (
        select h.monitor_id, h.calm, h.minute, h.minute_count, h.open_runs, h.log_day, h.log_bytes, m.target
        from heartbeats h join token on h.token_hash = decode(token.hash, 'hex') join monitors m on m.id = h.monitor_id
        ${skipLocked ? sql`` : sql`cross join (select set_config('lock_timeout', ${String(patienceMs)}, true)) patience`}
        order by h.monitor_id for update of h ${skipLocked ? sql`skip locked` : sql``}
      )
      select token.hash, known.monitor_id as "monitorId", known.workspace_id as "workspaceId", free.monitor_id is not null as "isFree",
        free.calm, free.minute, free.minute_count as "minuteCount", free.open_runs as "openRuns", free.log_day as "logDay",
        free.log_bytes as "logBytes", free.target,
        exists (select 1 from live_watchers w where w.workspace_id = known.workspace_id and w.until > now()) as watched
      from token
      left join heartbeats known on known.token_hash = decode(token.hash, 'hex')
      left join free on free.monitor_id = known.monitor_id`

  /** Stores the pings of these tokens completely or not at all, as `PingLog.write` does. */
  return Effect.fn("SignalLog.write")(
    function*(groups: ReadonlyMap<string, ReadonlyArray<Ping>>, now: number, skipLocked: boolean) {
      const [stored, isArmed] = yield* sql.withTransaction(Effect.gen(function*() {
        const rows = yield* lock([...groups.keys()], skipLocked)
        const beats = rows.filter(isLocked).map((row) => beatOf(row, groups.get(row.hash) ?? [], now))
        const columns = beatColumns(beats)
        const checks = checkColumns(beats)
        if (beats.length > 0) {
          yield* sql`
          with ${updatedTable(sql, columns)}, ${checkTables(sql, checks)}, ${runTables(sql, runColumns(beats), logColumns(beats))}
          select 1`
        }
        const answers = new Map<string, StoredPings>()
        for (const { hash, isFree, monitorId, workspaceId } of rows) {
          answers.set(hash, { ...nothingStored, monitorId, workspaceId, locked: monitorId !== null && !isFree })
        }
        for (const { row: { hash, monitorId, watched, workspaceId }, stored, taken } of beats) {
          const checks = new Map(taken.checks.map((check) => [check.checkId, check]))
          answers.set(hash, { monitorId, workspaceId, stored: stored.length, locked: false, watched, checks })
        }
        return [answers, columns.some(({ armedNow, due }) => armedNow || (due !== null && due < now + pollMs))] as const
      }))
      if (isArmed) yield* signals.send(alarmsSignal)
      return stored
    }
  )
})
