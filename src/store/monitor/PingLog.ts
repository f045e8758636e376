/** Writes pings in bulk: heartbeats, check rows and what their actors are to hear, all of a batch in one statement. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect } from "effect"
import type { CheckSummary, Outcome } from "../../../schema/check/Check.ts"
import type { CheckId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { pingCause, pushRegion } from "../../domain/monitor/Heartbeat.ts"
import { storable } from "../../domain/Storable.ts"
import { alarmsSignal } from "../Alarms.ts"

/** Pings of one token in a clock minute. (Specification: Limits.) */
export const pingsPerMinute = 120

/** What a caller reports. */
export interface Ping {
  /** SHA-256 of the token, hexadecimal. */
  readonly tokenHash: string
  readonly checkId: CheckId
  /** Milliseconds since 1970 by the database's clock. */
  readonly at: number
  readonly outcome: Outcome
  readonly latencyMs: number | null
  readonly error: string | null
}

/** What became of the pings of one token. */
export interface Fate {
  /** Null where no monitor has the token. */
  readonly monitorId: MonitorId | null
  readonly workspaceId: WorkspaceId | null
  /** So many of them, the first ones, were within the limit and are recorded. */
  readonly taken: number
  /** Its row was passed over, since another transaction has it; nothing of it is recorded. */
  readonly held: boolean
  /** Someone watches the workspace live. */
  readonly watched: boolean
}

/** A batch's pings of one token, in the order they came. */
interface Line {
  readonly index: number
  readonly pings: Array<Ping>
}

/** By hand, since a Schema's encoder costs as much as all else of a ping; its type holds it to the schema. */
const encodeSummary = (ping: Ping): string => {
  const encoded: typeof CheckSummary.Encoded = {
    id: ping.checkId,
    at: DateTime.formatIso(DateTime.unsafeMake(ping.at)),
    outcome: ping.outcome,
    statusCode: null,
    latencyMs: ping.latencyMs,
    error: ping.error === null ? null : storable(ping.error),
    cause: pingCause(ping.outcome),
    region: pushRegion,
    hasEvidence: false
  }
  return JSON.stringify(encoded)
}

const linesOf = (pings: ReadonlyArray<Ping>): ReadonlyMap<string, Line> => {
  const lines = new Map<string, Line>()
  for (const ping of pings) {
    const line = lines.get(ping.tokenHash)
    if (line === undefined) lines.set(ping.tokenHash, { index: lines.size, pings: [ping] })
    else line.pings.push(ping)
  }
  return lines
}

/** The arrays that the statement unnests: one entry for each token, and one for each ping. */
const columnsOf = (lines: ReadonlyMap<string, Line>) => {
  const tokens = {
    index: new Array<number>(),
    hash: new Array<string>(),
    count: new Array<number>(),
    bad: new Array<boolean>(),
    at: new Array<number>(),
    last: new Array<string>()
  }
  const pings = {
    index: new Array<number>(),
    rank: new Array<number>(),
    id: new Array<string>(),
    at: new Array<number>(),
    outcome: new Array<string>(),
    latency: new Array<number | null>(),
    error: new Array<string | null>(),
    cause: new Array<string | null>()
  }
  for (const [hash, line] of lines) {
    let bad = false
    line.pings.forEach((ping, position) => {
      bad ||= ping.outcome !== "up"
      pings.index.push(line.index)
      pings.rank.push(position + 1)
      pings.id.push(ping.checkId)
      pings.at.push(ping.at)
      pings.outcome.push(ping.outcome)
      pings.latency.push(ping.latencyMs)
      pings.error.push(ping.error === null ? null : storable(ping.error))
      pings.cause.push(pingCause(ping.outcome))
    })
    const last = line.pings.at(-1)
    if (last === undefined) continue
    tokens.index.push(line.index)
    tokens.hash.push(hash)
    tokens.count.push(line.pings.length)
    tokens.bad.push(bad)
    tokens.at.push(last.at)
    tokens.last.push(encodeSummary(last))
  }
  return { tokens, pings }
}

type FateRow = Fate & { readonly index: number }

export class PingLog extends Effect.Service<PingLog>()("belltower/PingLog", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    /**
     * Records a batch, all of it or nothing, and tells for each token what became of its pings. Those of a calm heartbeat only
     * move its row; others are news for the monitor's actor, whose alarm rings at once. The limit is counted in the
     * heartbeat's own row, so all processes share it; a minute ahead of ours is another process's estimate of the database's
     * clock, by which `now` (ms) and the pings' instants are. The same batch may be written again when nobody knows what came
     * of it. With `passHeld` a row that another transaction has is left out.
     */
    const write = Effect.fn("PingLog.write")(function*(batch: ReadonlyArray<Ping>, now: number, passHeld = false) {
      const lines = linesOf(batch)
      const { pings, tokens } = columnsOf(lines)
      const minute = Math.floor(now / 60_000)
      const free = sql`
        select h.monitor_id from heartbeats h join token on h.token_hash = decode(token.hash, 'hex')
        for update of h skip locked`
      const held = passHeld
        ? sql`known.monitor_id is not null and known.monitor_id not in (select monitor_id from free)`
        : sql.literal("false")
      const rows = yield* sql<FateRow>`
        with token as (
          select * from unnest(${tokens.index}::int[], ${tokens.hash}::text[], ${tokens.count}::int[], ${tokens.bad}::boolean[],
                               ${tokens.at}::float8[], ${tokens.last}::text[]) as token (index, hash, count, bad, at, last_check)
        )${passHeld ? sql`, free as materialized (${free})` : sql.literal("")}, heard as (
          update heartbeats h set
            last_ping_at = greatest(
              case when h.last_ping_at <= to_timestamp(${now}::float8 / 1000) then h.last_ping_at end, to_timestamp(token.at / 1000)),
            last_check = token.last_check::jsonb,
            calm = h.calm and not token.bad, minute = greatest(h.minute, ${minute}),
            minute_count = token.count + case when h.minute between ${minute} and ${minute + 1} then h.minute_count else 0 end
          from token
          where h.token_hash = decode(token.hash, 'hex')
            and ${passHeld ? sql`h.monitor_id in (select monitor_id from free)` : sql.literal("true")}
            and not (h.minute between ${minute} and ${minute + 1} and h.minute_count >= ${pingsPerMinute})
          returning token.index, h.monitor_id, h.workspace_id, h.calm,
            least(token.count, ${pingsPerMinute} - h.minute_count + token.count) as taken
        ), taken as (
          select ping.*, to_timestamp(ping.millis / 1000) as at, heard.monitor_id, heard.workspace_id, heard.calm
          from unnest(${pings.index}::int[], ${pings.rank}::int[], ${pings.id}::text[], ${pings.at}::float8[],
                      ${pings.outcome}::text[], ${pings.latency}::float8[], ${pings.error}::text[], ${pings.cause}::text[])
            as ping (index, rank, id, millis, outcome, latency_ms, error, cause)
          join heard on heard.index = ping.index and ping.rank <= heard.taken
        ), written as (
          insert into checks (id, at, workspace_id, monitor_id, region, outcome, counted, latency_ms, error, cause)
          select id, at, workspace_id, monitor_id, ${pushRegion}, outcome, true, latency_ms, error, cause from taken
          on conflict do nothing
          returning id
        ), news as (
          insert into heartbeat_news (monitor_id, check_id, at, outcome, latency_ms, error)
          select monitor_id, id, at, outcome, latency_ms, error from taken
          where not calm and id in (select id from written) order by index, rank
        ), armed as (
          insert into alarms (kind, id, workspace_id, due_at)
          select 'monitor', monitor_id, workspace_id, statement_timestamp() from heard where not calm
          on conflict (kind, id) do update set due_at = excluded.due_at where alarms.workspace_id = excluded.workspace_id
          returning 1
        ), rung as (
          select pg_notify(${alarmsSignal}, '') from (select 1 from armed limit 1) any_armed
        )
        select token.index, coalesce(heard.taken, 0) as taken, known.monitor_id as "monitorId",
          known.workspace_id as "workspaceId", ${held} as held,
          exists (select 1 from live_watchers w where w.workspace_id = known.workspace_id and w.until > now()) as watched,
          (select count(*) from rung) as rung
        from token
        left join heartbeats known on known.token_hash = decode(token.hash, 'hex')
        left join heard on heard.index = token.index`
      const fates = new Map(rows.map((row) => [row.index, row]))
      return (tokenHash: string): Fate | undefined => fates.get(lines.get(tokenHash)?.index ?? -1)
    })

    return { write }
  })
}) {}
