/** The rows of heartbeats, as their monitors' actors and editors see them; `PingLog` writes what callers report. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Option, Schema, Struct } from "effect"
import { checkFacts, CheckSummary } from "../../../schema/check/Check.ts"
import { CheckId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import type { Observation } from "../../../schema/monitor/Machine.ts"
import { pingCause, type Pulse, pushedCheck } from "../../domain/monitor/Heartbeat.ts"
import type { Alarm } from "../Alarms.ts"
import { randomToken } from "../Mint.ts"
import { tokenHash, Vault } from "../Vault.ts"

/** 143 bits: nobody guesses one. */
const tokenLength = 24

/** What cannot be a token is refused without asking the database. */
export const isTokenShaped = (text: string): boolean => text.length === tokenLength && /^[0-9A-Za-z]+$/.test(text)

/** Pings that one turn of an actor hears; with more waiting it takes another. */
const mostNews = 500

const Key = Schema.Struct({ workspaceId: WorkspaceId, monitorId: MonitorId })

const PulseRow = Schema.Struct({
  expectedFrom: Schema.DateTimeUtcFromDate,
  lastPingAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  lastCheck: Schema.NullOr(CheckSummary)
})

const NewsRow = Schema.Struct({
  checkId: CheckId,
  at: Schema.DateTimeUtcFromDate,
  ...Struct.pick(checkFacts, "outcome", "latencyMs", "error")
})

/** What an actor finds at its turn. */
interface HeardPings {
  readonly pulse: Pulse
  readonly lastCheck: CheckSummary | null
  /** The pings it had yet to hear, in the order they came; they are gone once the transaction commits. */
  readonly news: ReadonlyArray<Observation>
  /** More pings wait. */
  readonly more: boolean
}

export class Heartbeats extends Effect.Service<Heartbeats>()("belltower/Heartbeats", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault

    /** Gives a new heartbeat monitor its token, in the caller's transaction; pings are expected from `now`, the database's, on. */
    const insert = Effect.fn("Heartbeats.insert")(function*(workspaceId: WorkspaceId, monitorId: MonitorId, now: DateTime.Utc) {
      const token = yield* randomToken(tokenLength)
      yield* sql`
        insert into heartbeats (monitor_id, workspace_id, token_hash, token_sealed, expected_from)
        values (${monitorId}, ${workspaceId}, ${tokenHash(token)}, ${yield* vault.seal(token)}, ${DateTime.toDateUtc(now)})`
    }, Effect.orDie)

    /** From now on the next ping is waited for anew, and each is told to the actor until it has judged again. */
    const expectAnew = Effect.fn("Heartbeats.expectAnew")(function*(workspaceId: WorkspaceId, monitorId: MonitorId) {
      yield* sql`
        update heartbeats set expected_from = statement_timestamp(), calm = false
        where workspace_id = ${workspaceId} and monitor_id = ${monitorId}`
    }, Effect.orDie)

    const pulseOf = SqlSchema.findOne({
      Request: Key,
      Result: PulseRow,
      execute: ({ monitorId, workspaceId }) =>
        sql`
        select expected_from as "expectedFrom", last_ping_at as "lastPingAt", last_check as "lastCheck" from heartbeats
        where workspace_id = ${workspaceId} and monitor_id = ${monitorId} for update`
    })

    /** What was stamped in the future, by a clock that was wrong, would excuse every silence up to then. */
    const unstamp = (workspaceId: WorkspaceId, monitorId: MonitorId) =>
      sql`
      update heartbeats set
        last_ping_at = least(last_ping_at, statement_timestamp()), expected_from = least(expected_from, statement_timestamp())
      where workspace_id = ${workspaceId} and monitor_id = ${monitorId}
        and greatest(last_ping_at, expected_from) > statement_timestamp()`

    const takeNews = SqlSchema.findAll({
      Request: MonitorId,
      Result: NewsRow,
      execute: (monitorId) =>
        sql`
        with taken as (
          delete from heartbeat_news where monitor_id = ${monitorId} and sequence in (
            select sequence from heartbeat_news where monitor_id = ${monitorId} order by sequence limit ${mostNews})
          returning *
        )
        select check_id as "checkId", at, outcome, latency_ms as "latencyMs", error from taken order by sequence`
    })

    /**
     * Takes the heartbeat's row for the caller's transaction, so that pings wait until the actor has judged, and with it the
     * pings that wait to be heard. None where the heartbeat is gone.
     */
    const hear = Effect.fn("Heartbeats.hear")(function*(workspaceId: WorkspaceId, monitorId: MonitorId, revision: number) {
      const row = yield* pulseOf({ workspaceId, monitorId })
      if (Option.isNone(row)) return Option.none<HeardPings>()
      const { expectedFrom, lastCheck, lastPingAt } = row.value
      yield* unstamp(workspaceId, monitorId)
      const news = yield* takeNews(monitorId)
      return Option.some<HeardPings>({
        pulse: {
          expectedFrom: DateTime.toEpochMillis(expectedFrom),
          lastPingAt: lastPingAt === null ? null : DateTime.toEpochMillis(lastPingAt)
        },
        lastCheck,
        news: news.map((ping) =>
          pushedCheck({ ...ping, at: DateTime.toEpochMillis(ping.at), monitorId, revision, cause: pingCause(ping.outcome) })
        ),
        more: news.length === mostNews
      })
    }, Effect.orDie)

    /** Whether the next good ping is news, in the caller's transaction: it is not while the monitor is `calm`, up and on time. */
    const settle = (workspaceId: WorkspaceId, monitorId: MonitorId, calm: boolean) =>
      Effect.asVoid(Effect.orDie(sql`
        update heartbeats set calm = ${calm}
        where workspace_id = ${workspaceId} and monitor_id = ${monitorId} and calm <> ${calm}`))

    /**
     * Moves the alarms of calm heartbeats that were pinged since to their new deadline, and returns the ids of those monitors.
     * A ping that matters sets the alarm anew, and that is left as it is; one from the future is for the actor to judge.
     */
    const postpone = Effect.fn("Heartbeats.postpone")(function*(alarms: ReadonlyArray<Alarm>, now: DateTime.Utc) {
      const moved = yield* sql<{ readonly id: string }>`
        update alarms a set due_at = next.deadline
        from (
          select h.monitor_id, held.due_at, greatest(h.last_ping_at, h.expected_from) as heard,
            greatest(h.last_ping_at, h.expected_from)
            + ((m.target->>'periodSec')::int + (m.target->>'graceSec')::int) * interval '1 second' as deadline
          from unnest(${alarms.map(({ workspaceId }) => workspaceId)}::text[], ${alarms.map(({ id }) => id)}::text[],
                      ${alarms.map(({ heldUntil }) => DateTime.toDateUtc(heldUntil))}::timestamptz[])
            as held (workspace_id, id, due_at)
          join heartbeats h on h.monitor_id = held.id and h.workspace_id = held.workspace_id and h.calm
          join monitors m on m.id = h.monitor_id and not m.paused
        ) next
        where a.kind = 'monitor' and a.id = next.monitor_id and a.due_at = next.due_at and next.deadline > ${
        DateTime.toDateUtc(now)
      }
          and next.heard <= ${DateTime.toDateUtc(now)}
        returning a.id`
      return new Set(moved.map(({ id }) => id))
    }, Effect.orDie)

    return {
      insert,
      expectAnew,
      hear,
      settle,
      postpone,
      /** The token, opened. Dies when the deployment's secret is not the one it was sealed under. */
      token: (sealed: string) => vault.unseal(sealed)
    }
  })
}) {}
