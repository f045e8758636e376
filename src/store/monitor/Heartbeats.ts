/** The rows of heartbeats, for actors and edits of their monitors. `PingLog` records the pings. */
import { SqlClient } from "@effect/sql"
import { Array as Arr, DateTime, Effect, Option, Schema, Struct } from "effect"
import { checkFacts, CheckSummary } from "../../../schema/check/Check.ts"
import { CheckId, MonitorId, type WorkspaceId } from "../../../schema/Ids.ts"
import { OpenRun } from "../../../schema/monitor/JobRun.ts"
import { heartbeat } from "../../../schema/monitor/kinds/heartbeat.ts"
import type { Observation } from "../../../schema/monitor/Machine.ts"
import { pingAfter, type PingTimes } from "../../domain/monitor/job/ExpectedPing.ts"
import { pingCause, pushedCheck } from "../../domain/monitor/job/Heartbeat.ts"
import type { Alarm } from "../Alarms.ts"
import { randomToken } from "../Mint.ts"
import { findAll, findOne, write } from "../postgres/Queries.ts"
import { cellOf } from "../SealedColumns.ts"
import { tokenHash, Vault } from "../Vault.ts"

/** 143 bits: infeasible to guess. */
const tokenLength = 24

/** Whether a text has the format of a token. Other texts are rejected without a query. */
export const isTokenShaped = (text: string): boolean => text.length === tokenLength && /^[0-9A-Za-z]+$/.test(text)

/**
 * The most pings that actors process in one turn: of one, and of all that take their turns together. If more wait, another turn
 * follows.
 */
const maxNews = { each: 500, together: 2000 }

interface Key {
  readonly workspaceId: WorkspaceId
  readonly monitorId: MonitorId
}

const PingTimesRow = Schema.Struct({
  monitorId: MonitorId,
  expectedFrom: Schema.DateTimeUtcFromDate,
  lastPingAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  lastCheck: Schema.NullOr(CheckSummary),
  openRuns: Schema.NullOr(Schema.Array(OpenRun))
})

const NewsRow = Schema.Struct({
  monitorId: MonitorId,
  checkId: CheckId,
  at: Schema.DateTimeUtcFromDate,
  ...Struct.pick(checkFacts, "outcome", "latencyMs", "error", "cause")
})

/** A calm heartbeat with a schedule whose alarm is due. */
const ScheduledRow = Schema.Struct({
  id: MonitorId,
  dueAt: Schema.DateTimeUtcFromDate,
  ...Struct.pick(heartbeat.settings, "periodSec", "schedule", "timezone"),
  graceSec: Schema.Int,
  /** The time of its last ping or of the start of its deadline, ms since 1970; `pinged` is that of the ping. */
  heard: Schema.Number,
  pinged: Schema.NullOr(Schema.Number)
})

export interface HeardPings {
  readonly pingTimes: PingTimes
  readonly lastCheck: CheckSummary | null
}

/** The unprocessed pings of a heartbeat in order of arrival, and whether more wait. */
export interface News {
  readonly pings: ReadonlyArray<Observation>
  readonly more: boolean
}

export class Heartbeats extends Effect.Service<Heartbeats>()("belltower/Heartbeats", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault

    /** Creates a heartbeat with its token in the caller's transaction. Pings are expected from `now` (database clock) on. */
    const insert = Effect.fn("Heartbeats.insert")(function*(workspaceId: WorkspaceId, monitorId: MonitorId, now: DateTime.Utc) {
      const token = yield* randomToken(tokenLength)
      const sealed = yield* vault.seal(cellOf("heartbeats.token_sealed", monitorId), token)
      yield* sql`
        insert into heartbeats (monitor_id, workspace_id, token_hash, token_sealed, expected_from)
        values (${monitorId}, ${workspaceId}, ${tokenHash(token)}, ${sealed}, ${DateTime.toDateUtc(now)})`
    }, Effect.orDie)

    const listed = (keys: ReadonlyArray<Key>) =>
      sql`unnest(${keys.map(({ workspaceId }) => workspaceId)}::text[], ${keys.map(({ monitorId }) => monitorId)}::text[])`

    const lockedTimes = findAll(
      PingTimesRow,
      (keys: ReadonlyArray<Key>, skipLocked: boolean) =>
        sql`
        select h.monitor_id as "monitorId", h.expected_from as "expectedFrom", h.last_ping_at as "lastPingAt",
          h.last_check as "lastCheck", h.open_runs as "openRuns"
        from heartbeats h join ${listed(keys)} as wanted (workspace_id, id)
          on h.workspace_id = wanted.workspace_id and h.monitor_id = wanted.id
        order by h.monitor_id for update of h ${skipLocked ? sql`skip locked` : sql``}`
    )

    /** Corrects times in the future, set by a wrong clock: otherwise no missed ping would be detected until then. */
    const unstamp = (keys: ReadonlyArray<Key>) =>
      sql`
      update heartbeats h set
        last_ping_at = least(last_ping_at, statement_timestamp()), expected_from = least(expected_from, statement_timestamp())
      from ${listed(keys)} as locked (workspace_id, id)
      where h.workspace_id = locked.workspace_id and h.monitor_id = locked.id
        and greatest(last_ping_at, expected_from) > statement_timestamp()`

    const heldAlarms = (alarms: ReadonlyArray<Alarm>) =>
      sql`unnest(${alarms.map(({ workspaceId }) => workspaceId)}::text[], ${alarms.map(({ id }) => id)}::text[],
                        ${alarms.map(({ heldUntil }) => DateTime.toDateUtc(heldUntil))}::timestamptz[])`

    const scheduled = findAll(ScheduledRow, (alarms: ReadonlyArray<Alarm>) =>
      sql`
        select h.monitor_id as id, held.due_at as "dueAt", m.target->>'schedule' as schedule, m.target->>'timezone' as timezone,
          (m.target->>'graceSec')::int as "graceSec", (m.target->>'periodSec')::int as "periodSec",
          (extract(epoch from greatest(h.last_ping_at, h.expected_from)) * 1000)::float8 as heard,
          (extract(epoch from h.last_ping_at) * 1000)::float8 as pinged
        from ${heldAlarms(alarms)} as held (workspace_id, id, due_at)
        join heartbeats h on h.monitor_id = held.id and h.workspace_id = held.workspace_id and h.calm and h.open_runs is null
        join monitors m on m.id = h.monitor_id and not m.paused and m.target ? 'schedule'`)

    /** Heartbeats with a schedule: their deadline is computed here, and only then their alarms are moved. */
    const postponeScheduled = Effect.fnUntraced(function*(alarms: ReadonlyArray<Alarm>, now: DateTime.Utc) {
      const found = yield* scheduled(alarms)
      const at = DateTime.toEpochMillis(now)
      const next = found.flatMap((one) => {
        const expected = one.heard > at ? null : pingAfter(one, one.heard, one.pinged)
        const deadline = expected === null ? null : expected + one.graceSec * 1000
        return deadline === null || deadline <= at ? [] : [{ ...one, deadline }]
      })
      if (next.length === 0) return []
      return yield* sql<{ readonly id: string }>`
        update alarms a set due_at = next.deadline
        from unnest(${next.map(({ id }) => id)}::text[], ${next.map(({ dueAt }) => DateTime.toDateUtc(dueAt))}::timestamptz[],
                    ${next.map(({ deadline }) => new Date(deadline))}::timestamptz[]) as next (id, due_at, deadline)
        where a.kind = 'monitor' and a.id = next.id and a.due_at = next.due_at
        returning a.id`
    })

    const takenNews = findAll(NewsRow, (monitorIds: ReadonlyArray<MonitorId>, each: number) =>
      sql`
        with next as (
          select news.monitor_id, news.sequence from unnest(${monitorIds}::text[]) as wanted (id)
          cross join lateral (
            select monitor_id, sequence from heartbeat_news where monitor_id = wanted.id order by sequence limit ${each}
          ) news
        ), taken as (
          delete from heartbeat_news n using next where n.monitor_id = next.monitor_id and n.sequence = next.sequence returning n.*
        )
        select monitor_id as "monitorId", check_id as "checkId", at, outcome, latency_ms as "latencyMs", error, cause from taken
        order by sequence`)

    const targetOf = findOne(Schema.Struct({ target: heartbeat.target }), (token: string) =>
      sql`
        select m.target from heartbeats h join monitors m on m.id = h.monitor_id where h.token_hash = ${tokenHash(token)}`)

    return {
      insert,
      /** The settings of the heartbeat with this token. */
      targetOf: (token: string) => Effect.map(targetOf(token), Option.map(({ target }) => target)),
      /** Restarts the wait for the next ping from now. Every ping goes to the actor until it has decided again. */
      expectAnew: (workspaceId: WorkspaceId, monitorId: MonitorId) =>
        write(sql`
          update heartbeats set expected_from = statement_timestamp(), calm = false
          where workspace_id = ${workspaceId} and monitor_id = ${monitorId}`),
      /**
       * Locks the rows of heartbeats in the caller's transaction, so that new pings wait until their actors have decided. Those that
       * were deleted are left out, and with `skipLocked` those that somebody has locked.
       */
      lock: Effect.fn("Heartbeats.lock")(function*(keys: ReadonlyArray<Key>, skipLocked: boolean) {
        const rows = yield* lockedTimes(keys, skipLocked)
        const locked = new Map(
          rows.map(({ expectedFrom, lastCheck, lastPingAt, monitorId, openRuns }): [MonitorId, HeardPings] => [monitorId, {
            pingTimes: {
              expectedFrom: DateTime.toEpochMillis(expectedFrom),
              lastPingAt: lastPingAt === null ? null : DateTime.toEpochMillis(lastPingAt),
              runs: openRuns ?? []
            },
            lastCheck
          }])
        )
        yield* unstamp(keys.filter(({ monitorId }) => locked.has(monitorId)))
        return locked
      }, Effect.orDie),
      /** Takes the unprocessed pings of heartbeats whose rows are locked; they are deleted when the transaction commits. */
      takeNews: Effect.fn("Heartbeats.takeNews")(
        function*(heartbeats: ReadonlyArray<{ readonly monitorId: MonitorId; readonly revision: number }>) {
          const each = Math.min(maxNews.each, Math.ceil(maxNews.together / Math.max(1, heartbeats.length)))
          const rows = yield* takenNews(heartbeats.map(({ monitorId }) => monitorId), each)
          const ofMonitor = Arr.groupBy(rows, ({ monitorId }) => monitorId)
          return new Map(heartbeats.map(({ monitorId, revision }): [MonitorId, News] => {
            const own = ofMonitor[monitorId] ?? []
            const pings = own.map((ping) =>
              pushedCheck({
                ...ping,
                at: DateTime.toEpochMillis(ping.at),
                revision,
                cause: ping.cause ?? pingCause(ping.outcome)
              })
            )
            return [monitorId, { pings, more: own.length === each }]
          }))
        },
        Effect.orDie
      ),
      /** Sets `calm` in the caller's transaction. While a monitor is calm (up and on time), good pings do not go to its actor. */
      settle: (turns: ReadonlyArray<Key & { readonly calm: boolean }>) =>
        write(sql`
          update heartbeats h set calm = turn.calm
          from unnest(${turns.map(({ workspaceId }) => workspaceId)}::text[], ${turns.map(({ monitorId }) => monitorId)}::text[],
                      ${turns.map(({ calm }) => calm)}::boolean[]) as turn (workspace_id, id, calm)
          where h.workspace_id = turn.workspace_id and h.monitor_id = turn.id and h.calm <> turn.calm`),
      /** Notes in the caller's transaction which open runs have been reported as too long. */
      noteOverdue: (turns: ReadonlyArray<Key & { readonly open: ReadonlyArray<OpenRun> }>) =>
        turns.length === 0 ? Effect.void : write(sql`
          update heartbeats h set open_runs = turn.open::jsonb
          from unnest(${turns.map(({ workspaceId }) => workspaceId)}::text[], ${turns.map(({ monitorId }) => monitorId)}::text[],
                      ${turns.map(({ open }) => JSON.stringify(open))}::text[]) as turn (workspace_id, id, open)
          where h.workspace_id = turn.workspace_id and h.monitor_id = turn.id`),
      /**
       * Postpones the alarms of calm heartbeats with newer pings to their new deadline. Returns the ids of those monitors.
       * Leaves alarms that have been set again since, and heartbeats with open runs or a future ping, which the actor handles.
       */
      postpone: Effect.fn("Heartbeats.postpone")(function*(alarms: ReadonlyArray<Alarm>, now: DateTime.Utc) {
        const moved = yield* sql<{ readonly id: string }>`
          update alarms a set due_at = next.deadline
          from (
            select h.monitor_id, held.due_at, greatest(h.last_ping_at, h.expected_from) as heard,
              greatest(h.last_ping_at, h.expected_from)
              + ((m.target->>'periodSec')::int + (m.target->>'graceSec')::int) * interval '1 second' as deadline
            from ${heldAlarms(alarms)} as held (workspace_id, id, due_at)
            join heartbeats h on h.monitor_id = held.id and h.workspace_id = held.workspace_id and h.calm
              and h.open_runs is null
            join monitors m on m.id = h.monitor_id and not m.paused and not m.target ? 'schedule'
          ) next
          where a.kind = 'monitor' and a.id = next.monitor_id and a.due_at = next.due_at and next.deadline > ${
          DateTime.toDateUtc(now)
        }
            and next.heard <= ${DateTime.toDateUtc(now)}
          returning a.id`
        const ids = new Set(moved.map(({ id }) => id))
        const others = yield* postponeScheduled(alarms.filter(({ id }) => !ids.has(id)), now)
        return new Set([...ids, ...others.map(({ id }) => id)])
      }, Effect.orDie),
      /** The decrypted token. Dies when it was sealed with a different deployment secret. */
      token: (monitorId: MonitorId, sealed: string) => vault.unseal(cellOf("heartbeats.token_sealed", monitorId), sealed)
    }
  })
}) {}
