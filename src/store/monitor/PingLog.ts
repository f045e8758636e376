/**
 * Writes pings in bulk. Those of jobs that are well take one statement: it updates the heartbeats and adds check rows, what the jobs
 * printed, news for actors and alarms. `SignalLog` writes the others.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { pushRegion } from "../../domain/monitor/job/Heartbeat.ts"
import { dailyLogs, dayOf, isOutput, needsRuns, runIdOf } from "../../domain/monitor/job/JobRuns.ts"
import { idTime } from "../../domain/tools/Id.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import { alarmsSignal } from "../Alarms.ts"
import { textArray } from "../postgres/BinaryArrays.ts"
import { sendTogether } from "../postgres/LeanStatements.ts"
import { readRows } from "../postgres/Read.ts"
import { Signals } from "../postgres/Signals.ts"
import { byToken, encodeSummary, patienceMs, type Ping, pingsPerMinute, type StoredPings } from "./Ping.ts"
import { makeSignalLog } from "./SignalLog.ts"

/** The pings of each token, in the order they came. */
type TokenPings = ReadonlyArray<readonly [hash: string, pings: ReadonlyArray<Ping>]>

/** The arrays that the statement unnests: one entry for each token, for each ping, and for what a ping printed. */
const columnsOf = (groups: TokenPings) => {
  const tokens = {
    index: new Array<number>(),
    hash: new Array<string>(),
    count: new Array<number>(),
    at: new Array<number>(),
    last: new Array<string>(),
    logDay: new Array<number>(),
    logBytes: new Array<number>()
  }
  const pings = { index: new Array<number>(), rank: new Array<number>(), id: new Array<string>(), at: new Array<number>() }
  const outputs = {
    id: new Array<string>(),
    run: new Array<string>(),
    at: new Array<number>(),
    octets: new Array<number>(),
    text: new Array<string>()
  }
  groups.forEach(([hash, group], index) => {
    let kept = 0
    group.forEach(({ at, checkId, signal }, position) => {
      pings.index.push(index)
      pings.rank.push(position + 1)
      pings.id.push(checkId)
      pings.at.push(at)
      if (signal === undefined || signal.log === null) return
      kept += Buffer.byteLength(signal.log)
      outputs.id.push(checkId)
      outputs.run.push(runIdOf(checkId))
      outputs.at.push(idTime(checkId) ?? at)
      outputs.octets.push(signal.logBytes)
      outputs.text.push(storable(signal.log))
    })
    const last = group.at(-1)
    if (last === undefined) return
    tokens.index.push(index)
    tokens.hash.push(hash)
    tokens.count.push(group.length)
    tokens.at.push(last.at)
    tokens.last.push(encodeSummary(last, null))
    tokens.logDay.push(dayOf(last.at))
    tokens.logBytes.push(kept)
  })
  return { tokens, pings, outputs }
}

type Columns = ReturnType<typeof columnsOf>

/** `token`: one row for each token. */
const tokenTable = (sql: SqlClient.SqlClient, { tokens }: Columns) =>
  sql`
        token as (
          select * from unnest(${tokens.index}::int[], ${textArray(tokens.hash)}::text[], ${tokens.count}::int[],
                               ${tokens.at}::float8[], ${textArray(tokens.last)}::text[], ${tokens.logDay}::int[],
                               ${tokens.logBytes}::int[]) as token (index, hash, count, at, last_check, log_day, log_bytes)
        )`

/** The parts that leave out the rows that other transactions have locked, or wait for them. */
const lockParts = (sql: SqlClient.SqlClient, skipLocked: boolean) =>
  skipLocked
    ? {
      table: sql`, free as materialized (
          select h.monitor_id from heartbeats h join token on h.token_hash = decode(token.hash, 'hex')
          for update of h skip locked
        )`,
      isFree: sql`h.monitor_id in (select monitor_id from free)`,
      isLocked: sql`known.monitor_id is not null and known.monitor_id not in (select monitor_id from free)`
    }
    : {
      table: sql.literal(""),
      isFree: sql.literal("true"),
      isLocked: sql.literal("false")
    }

/**
 * `updated`: the heartbeats of tokens within their limit and without open runs, and where something was printed, with room for all of
 * it. The limits are counted in the heartbeat's own row, so all processes share them. A row may be one minute ahead of `now` (ms):
 * another process estimates the database's clock a little differently.
 */
const updatedTable = (sql: SqlClient.SqlClient, now: number, { isFree }: ReturnType<typeof lockParts>) => {
  const minute = Math.floor(now / 60_000)
  const spent = sql`case when h.minute between ${minute} and ${minute + 1} then h.minute_count else 0 end`
  const logged = sql`token.log_bytes + case when h.log_day = token.log_day then h.log_bytes else 0 end`
  return sql`
        updated as (
          update heartbeats h set
            last_ping_at = greatest(
              case when h.last_ping_at <= to_timestamp(${now}::float8 / 1000) then h.last_ping_at end, to_timestamp(token.at / 1000)),
            last_check = token.last_check::jsonb,
            minute = greatest(h.minute, ${minute}),
            minute_count = token.count + ${spent},
            log_day = case when token.log_bytes = 0 then h.log_day else token.log_day end,
            log_bytes = case when token.log_bytes = 0 then h.log_bytes else ${logged} end
          from token
          where h.token_hash = decode(token.hash, 'hex')
            and ${isFree}
            and h.open_runs is null
            and not (h.minute between ${minute} and ${minute + 1} and h.minute_count >= ${pingsPerMinute})
            and (token.log_bytes = 0
              or (${logged} <= ${dailyLogs.ofOthers} and token.count + ${spent} <= ${pingsPerMinute}))
          returning token.index, h.monitor_id, h.workspace_id, h.calm,
            least(token.count, ${pingsPerMinute} - h.minute_count + token.count) as stored
        )`
}

/** Check rows for the pings within the limit; for heartbeats that are not calm also news for the actor, and an alarm due now. */
const recordTables = (sql: SqlClient.SqlClient, { pings }: Columns) =>
  sql`
        accepted as (
          select ping.*, to_timestamp(ping.millis / 1000) as at, updated.monitor_id, updated.workspace_id, updated.calm
          from unnest(${pings.index}::int[], ${pings.rank}::int[], ${textArray(pings.id)}::text[], ${pings.at}::float8[])
            as ping (index, rank, id, millis)
          join updated on updated.index = ping.index and ping.rank <= updated.stored
        ), written as (
          insert into checks (id, at, workspace_id, monitor_id, region, outcome, counted)
          select id, at, workspace_id, monitor_id, ${pushRegion}, 'up', true from accepted
          on conflict do nothing
          returning id
        ), news as (
          insert into heartbeat_news (monitor_id, check_id, at, outcome)
          select monitor_id, id, at, 'up' from accepted
          where not calm and id in (select id from written) order by index, rank
        ), armed as (
          insert into alarms (kind, id, workspace_id, due_at)
          select 'monitor', monitor_id, workspace_id, statement_timestamp() from updated where not calm
          on conflict (kind, id) do update set due_at = excluded.due_at where alarms.workspace_id = excluded.workspace_id
          returning 1
        )`

/** The output of pings, each in a run of its own. A batch that is written again conflicts in its checks, and so adds no output. */
const outputTables = (sql: SqlClient.SqlClient, { outputs }: Columns) =>
  outputs.id.length === 0 ? sql.literal("") : sql`, run as (
          insert into job_runs (id, at, workspace_id, monitor_id, state, ended_at, log_bytes, output)
          select output.run_id, to_timestamp(output.millis / 1000), accepted.workspace_id, accepted.monitor_id, 'up', accepted.at,
            output.octets, output.text
          from unnest(${textArray(outputs.id)}::text[], ${textArray(outputs.run)}::text[], ${outputs.at}::float8[],
                      ${outputs.octets}::int[], ${textArray(outputs.text)}::text[]) as output (id, run_id, millis, octets, text)
          join accepted on accepted.id = output.id join written on written.id = output.id
        )`

const noneStored: ReadonlyMap<string, StoredPings> = new Map()

const isPlain = (ping: Ping): boolean => !needsRuns(ping) || isOutput(ping)

const isSettled = (found: StoredPings | undefined): boolean =>
  found !== undefined && (found.stored > 0 || found.locked || found.monitorId === null)

type StoredRow = StoredPings & { readonly index: number; readonly armed: boolean }

export class PingLog extends Effect.Service<PingLog>()("belltower/PingLog", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals

    const writeSignals = yield* makeSignalLog

    /** Stores pings of jobs that are well and have no open run, and what they printed: nothing but their heartbeat is read. */
    const writePlain = Effect.fnUntraced(function*(
      tokens: ReadonlyMap<string, ReadonlyArray<Ping>>,
      now: number,
      skipLocked: boolean
    ) {
      const groups = [...tokens]
      const columns = columnsOf(groups)
      const lock = lockParts(sql, skipLocked)
      const store = sql<StoredRow>`/* one plan */
        with ${tokenTable(sql, columns)}${lock.table}, ${updatedTable(sql, now, lock)}, ${recordTables(sql, columns)}${
        outputTables(sql, columns)
      }
        select token.index, coalesce(updated.stored, 0) as stored, known.monitor_id as "monitorId",
          known.workspace_id as "workspaceId", ${lock.isLocked} as locked,
          exists (select 1 from live_watchers w where w.workspace_id = known.workspace_id and w.until > now()) as watched,
          exists (select 1 from armed) as armed
        from token
        left join heartbeats known on known.token_hash = decode(token.hash, 'hex')
        left join updated on updated.index = token.index`
      // How long the statement waits for rows that others have locked.
      const patience = sql`select set_config('lock_timeout', ${String(patienceMs)}, true)`
      const found = yield* sendTogether(skipLocked ? [store] : [patience, store])
      const rows = yield* readRows(store).decode(found.slice(-1))
      if (rows[0]?.armed) yield* signals.send(alarmsSignal)
      const stored = new Map<string, StoredPings>()
      for (const row of rows) {
        const [hash] = groups[row.index] ?? []
        if (hash !== undefined) stored.set(hash, row)
      }
      return stored
    })

    /**
     * Stores a batch and returns the result for each token; of each token all or nothing. `now` (ms) and the pings' instants are
     * estimates of the database's clock. Pings of a calm heartbeat need no actor; all others become news for the monitor's
     * actor, whose alarm is set to now. A batch whose first write had an unknown result may be written again. It fails if other
     * transactions have locked rows for longer than a moment; with `skipLocked` it leaves these rows out.
     */
    const write = Effect.fn("PingLog.write")(function*(batch: ReadonlyArray<Ping>, now: number, skipLocked = false) {
      const groups = byToken(batch)
      const plain = new Map<string, ReadonlyArray<Ping>>()
      // Pings that need runs, and those of heartbeats that have open runs or are at a limit.
      const others = new Map<string, ReadonlyArray<Ping>>()
      for (const [hash, pings] of groups) (pings.every(isPlain) ? plain : others).set(hash, pings)
      const stored = plain.size === 0 ? noneStored : yield* writePlain(plain, now, skipLocked)
      for (const [hash, pings] of plain) if (!isSettled(stored.get(hash))) others.set(hash, pings)
      const followed = others.size === 0 ? noneStored : yield* writeSignals(others, now, skipLocked)
      return (tokenHash: string): StoredPings | undefined => followed.get(tokenHash) ?? stored.get(tokenHash)
    })

    /** The pings whose heartbeat has stored no later one. */
    const unheard = Effect.fn("PingLog.unheard")(function*(pings: ReadonlyArray<Ping>) {
      const rows = yield* sql<{ readonly ordinal: number }>`
        select ping.ordinal from unnest(${pings.map(({ tokenHash }) => tokenHash)}::text[], ${
        pings.map(({ at }) => at)
      }::float8[])
          with ordinality as ping (hash, at, ordinal)
        join heartbeats h on h.token_hash = decode(ping.hash, 'hex')
        where h.last_ping_at is null or h.last_ping_at < to_timestamp(ping.at / 1000)`
      const ordinals = new Set(rows.map(({ ordinal }) => Number(ordinal)))
      return pings.filter((_, index) => ordinals.has(index + 1))
    })

    return { write, unheard }
  })
}) {}
