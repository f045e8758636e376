/** The history of monitor states: one row for each span of time in one state. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { MonitorId, type WorkspaceId } from "../../../schema/Ids.ts"
import { MonitorState } from "../../../schema/monitor/Monitor.ts"
import { observedUntil } from "../../domain/monitor/MonitorMachine.ts"
import { observedSpans } from "../../domain/monitor/MonitorRecord.ts"
import { talliesBetween } from "../../domain/monitor/SpanTotals.ts"
import type { Span, Tally } from "../../domain/monitor/Uptime.ts"
import { gather } from "../../domain/tools/Gather.ts"
import { tryAll } from "../postgres/Queries.ts"
import { maintenanceSpans, maintenanceTimes, windowSpans } from "./SpanTotals.ts"

export const SpanState = Schema.Literal(...MonitorState.literals, "unobserved")

const SpanRow = Schema.Struct({
  monitorId: MonitorId,
  state: SpanState,
  startedAt: Schema.Number,
  endedAt: Schema.NullOr(Schema.Number)
})

const TotalledSpan = Schema.Tuple(SpanState, Schema.Number, Schema.NullOr(Schema.Number), Schema.Number, Schema.Number)

const MaintenanceSpans = Schema.Tuple(Schema.Number, Schema.Number, TotalledSpan, TotalledSpan)

const PaceRow = Schema.Struct({
  monitorId: MonitorId,
  intervalSec: Schema.Int,
  timeoutMs: Schema.Int,
  lastRoundAt: Schema.NullOr(Schema.Number)
})

export class Spans extends Effect.Service<Spans>()("belltower/Spans", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const rows = tryAll(SpanRow, (workspaceId: WorkspaceId, monitorIds: ReadonlyArray<MonitorId>, from: DateTime.Utc) =>
      sql`
        select monitor_id as "monitorId", state, (extract(epoch from started_at) * 1000)::float8 as "startedAt",
          (extract(epoch from ended_at) * 1000)::float8 as "endedAt"
        from monitor_spans
        where workspace_id = ${workspaceId} and monitor_id = any(${monitorIds}::text[])
          and (ended_at is null or ended_at > ${DateTime.toDateUtc(from)})
        order by monitor_id, started_at`)

    const paces = tryAll(PaceRow, (workspaceId: WorkspaceId, monitorIds: ReadonlyArray<MonitorId>) =>
      sql`/* one plan */
        select m.id as "monitorId", m.interval_sec as "intervalSec", m.timeout_ms as "timeoutMs",
          (s.machine->>'lastRoundAt')::float8 as "lastRoundAt"
        from monitors m join monitor_states s on s.monitor_id = m.id
        where m.workspace_id = ${workspaceId} and m.id = any(${monitorIds}::text[])`)

    const totals = tryAll(
      Schema.Struct({
        ...PaceRow.fields,
        spans: Schema.NullOr(Schema.Array(TotalledSpan)),
        maintenance: Schema.NullOr(Schema.Array(MaintenanceSpans))
      }),
      (workspaceId: WorkspaceId, monitorIds: ReadonlyArray<MonitorId>, borders: ReadonlyArray<number>) =>
        sql`/* one plan */
        select m.id as "monitorId", m.interval_sec as "intervalSec", m.timeout_ms as "timeoutMs",
          (s.machine->>'lastRoundAt')::float8 as "lastRoundAt",
          ${windowSpans(sql, workspaceId, sql.literal("m.id"), borders)} as spans,
          ${maintenanceSpans(sql, workspaceId, sql.literal("m.id"), sql.literal("planned.times"))} as maintenance
        from monitors m join monitor_states s on s.monitor_id = m.id
        left join (${maintenanceTimes(sql, workspaceId, sql`select unnest(${monitorIds}::text[])`, borders)}) planned
          on planned.monitor_id = m.id
        where m.workspace_id = ${workspaceId} and m.id = any(${monitorIds}::text[])`
    )

    /** The spans that end after `from`, by monitor and in order. One query for any number of monitors. */
    const since = (workspaceId: WorkspaceId, monitorIds: ReadonlyArray<MonitorId>, from: DateTime.Utc) =>
      Effect.map(
        rows(workspaceId, monitorIds, from),
        (found): ReadonlyMap<MonitorId, ReadonlyArray<Span>> =>
          gather(found.map(({ monitorId, ...span }) => [monitorId, span] as const))
      )

    return {
      since,
      /** The last time that a monitor was down or degraded, if it is over (ms since 1970). Reads its spans backwards by the key. */
      lastTrouble: (workspaceId: WorkspaceId, monitorId: MonitorId) =>
        Effect.orDie(Effect.map(
          sql<{ readonly state: string; readonly startedAt: number; readonly endedAt: number }>`
          select state, (extract(epoch from started_at) * 1000)::float8 as "startedAt",
            (extract(epoch from ended_at) * 1000)::float8 as "endedAt"
          from monitor_spans
          where monitor_id = ${monitorId} and workspace_id = ${workspaceId} and state in ('down', 'degraded') and ended_at is not null
          order by started_at desc limit 1`,
          ([row]) => row ?? null
        )),
      /** The same, but a span still open at `now` (ms) ends where observation stopped. */
      observed: (workspaceId: WorkspaceId, monitorIds: ReadonlyArray<MonitorId>, from: DateTime.Utc, now: number) =>
        Effect.zipWith(
          since(workspaceId, monitorIds, from),
          paces(workspaceId, monitorIds),
          (spans, rows): ReadonlyMap<MonitorId, ReadonlyArray<Span>> =>
            new Map(
              rows.map((pace) =>
                [pace.monitorId, observedSpans(spans.get(pace.monitorId) ?? [], pace, pace.lastRoundAt, now)] as const
              )
            )
        ),
      /**
       * The observed time of each monitor outside of maintenance between each two adjoining borders (ms, ascending), the last of which
       * is now or before. From running totals: costs the same however often the states changed.
       */
      tallies: (workspaceId: WorkspaceId, monitorIds: ReadonlyArray<MonitorId>, borders: ReadonlyArray<number>) =>
        Effect.map(
          totals(workspaceId, monitorIds, borders),
          (rows): ReadonlyMap<MonitorId, ReadonlyArray<Tally>> =>
            new Map(rows.map(({ lastRoundAt, maintenance, monitorId, spans, ...pace }) => {
              const until = observedUntil(lastRoundAt, pace, Math.max(...borders))
              return [monitorId, talliesBetween(spans, maintenance, borders, until)] as const
            }))
        )
    }
  })
}) {}
