/** The monitors and regions without recent results. */
import { SqlClient, type Statement } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { RegionId } from "../../../schema/check/Region.ts"
import { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import type { Lateness } from "../../domain/health/DeadMansSwitch.ts"
import { slack } from "../../domain/monitor/ExpectedRound.ts"
import { unprobedKinds } from "../../domain/monitor/kinds.ts"
import type { Watched } from "../../domain/monitor/OverdueWatch.ts"
import { findAll, findSingle } from "../postgres/Queries.ts"

const Silent = {
  intervalSec: Schema.Int,
  timeoutMs: Schema.Int,
  heardAt: Schema.NullOr(Schema.Number),
  changedAt: Schema.Number
}
const SilentMonitorRow = Schema.Struct({
  ...Silent,
  id: MonitorId,
  workspaceId: WorkspaceId,
  regions: Schema.Array(RegionId)
})
/** A monitor that is late by its state; without more if it is not to be checked, or was edited or checked since. */
const LateMonitor = Schema.Struct({ lateAt: Schema.String, lateId: MonitorId, silent: Schema.NullOr(SilentMonitorRow) })
const RegionAtWork = Schema.Struct({ ...Silent, id: RegionId, monitors: Schema.Int })

const Count = Schema.Struct({ late: Schema.Int, monitors: Schema.Int })
const LatenessRow = Schema.Struct({ ...Count.fields, tenants: Schema.Int, lateTenants: Schema.Int, worst: Count })

/** Monitors of a silent region that are counted. */
const mostCounted = 1_000

/** The position at which a sweep over the late monitors goes on. */
export interface SweepCursor {
  readonly lateAt: string
  readonly lateId: MonitorId
}
const withPacing = ({ intervalSec, timeoutMs, ...rest }: typeof SilentMonitorRow.Type): SilentMonitor => ({
  ...rest,
  pacing: { intervalSec, timeoutMs }
})
const sweepStart = { lateAt: "-infinity", lateId: "" }

export interface SweepStep {
  readonly monitors: ReadonlyArray<SilentMonitor>
  /** Null at the end of the sweep. */
  readonly next: SweepCursor | null
}

export type SilentMonitor = Watched<MonitorId> & { readonly workspaceId: WorkspaceId }
export type RegionAtWork = Watched<RegionId> & { readonly monitors: number }

export class OverdueMonitors extends Effect.Service<OverdueMonitors>()("belltower/OverdueMonitors", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    /**
     * Of late rows, the monitors whose last result is over two intervals old. That is shorter than any allowance: the caller decides
     * which of them are overdue.
     */
    const silentAmong = (now: number, late: Statement.Fragment) =>
      sql`
        with late as materialized (
          select monitor_id, expected_at, (machine->>'lastRoundAt')::float8 as heard_at
          from monitor_states
          where expected_at <= to_timestamp(${now}::float8 / 1000) ${late}
        )
        select late.expected_at::text as "lateAt", late.monitor_id as "lateId", silent.found as silent
        from late left join lateral (
          select jsonb_build_object('id', m.id, 'workspaceId', m.workspace_id, 'regions', m.regions, 'intervalSec', m.interval_sec,
            'timeoutMs', m.timeout_ms, 'heardAt', late.heard_at, 'changedAt', edited.at) as found
          from monitors m
          cross join lateral (select extract(epoch from m.updated_at)::float8 * 1000 as at) edited
          where m.id = late.monitor_id and not m.paused and m.kind <> all(${unprobedKinds}::text[])
            and coalesce(late.heard_at, 0) not between ${now}::float8 - m.interval_sec * 2000 and ${now}::float8
            and edited.at < ${now}::float8 - m.interval_sec * 2000
        ) silent on true`

    // The limits hold for the index rows read, so a step costs the same however many monitors are late.
    const late = findAll(
      LateMonitor,
      (now: number, { lateAt, lateId }: typeof sweepStart, limit: number) =>
        sql`
        ${
          silentAmong(
            now,
            sql`and (expected_at, monitor_id) > (${lateAt}::timestamptz, ${lateId}::text)
              order by expected_at, monitor_id limit ${limit}`
          )
        } order by late.expected_at, late.monitor_id`
    )

    const latest = findAll(
      LateMonitor,
      (now: number, limit: number) => silentAmong(now, sql`order by expected_at desc limit ${limit}`)
    )

    // Regions that delivered within the shortest allowance are left out before their monitors are counted. While all is well, the others
    // have few monitors; of many, a sample shows the pace of all.
    const regions = findAll(RegionAtWork, (now: number) =>
      sql`
        select r.id, some_of.monitors, some_of."intervalSec", some_of."timeoutMs", some_of."changedAt",
          extract(epoch from r.last_result_at)::float8 * 1000 as "heardAt"
        from regions r
        cross join lateral (
          select count(*)::int as monitors, min(m.interval_sec) as "intervalSec", max(m.timeout_ms) as "timeoutMs",
            extract(epoch from min(m.updated_at))::float8 * 1000 as "changedAt"
          from (
            select interval_sec, timeout_ms, updated_at from monitors
            where regions @> array[r.id] and not paused and kind <> all(${unprobedKinds}::text[]) limit ${mostCounted}
          ) m
        ) some_of
        where coalesce(extract(epoch from r.last_result_at)::float8 * 1000, 0) not between ${now}::float8 - ${slack} and ${now}::float8
          and some_of.monitors > 0`)

    // Counts all monitors, so it is asked only while some are overdue. States are read by the index of late ones: of 100,000 monitors
    // with few late ones it takes 36 ms, a third of what it takes with all states.
    const lateness = findSingle(LatenessRow, (now: number, since: number) =>
      sql`
        with late as (
          select m.workspace_id, count(*)::int as late
          from monitor_states s join monitors m on m.id = s.monitor_id
          where s.expected_at <= to_timestamp(${now}::float8 / 1000) and not m.paused and m.kind <> all(${unprobedKinds}::text[])
            and greatest(least(coalesce((s.machine->>'lastRoundAt')::float8, 0), ${now}::float8),
                extract(epoch from m.updated_at)::float8 * 1000, ${since}::float8)
              + m.interval_sec * 2500 + m.timeout_ms + ${slack} < ${now}::float8
          group by m.workspace_id
        ), counted as (
          select m.workspace_id, m.monitors, coalesce(late.late, 0) as late
          from (
            select workspace_id, count(*)::int as monitors from monitors
            where not paused and kind <> all(${unprobedKinds}::text[]) group by workspace_id
          ) m left join late using (workspace_id)
        )
        select count(*)::int as tenants, coalesce(sum(monitors), 0)::int as monitors, coalesce(sum(late), 0)::int as late,
          (count(*) filter (where late > 0))::int as "lateTenants",
          coalesce((select jsonb_build_object('monitors', monitors, 'late', late) from counted order by late desc limit 1),
            '{"monitors": 0, "late": 0}'::jsonb) as worst
        from counted`)

    return {
      /**
       * How many monitors are overdue, and of how many tenants. Silence counts from `since` on: before, nobody watched. It counts all
       * monitors.
       */
      lateness: (now: DateTime.Utc, since: number): Effect.Effect<Lateness> => lateness(DateTime.toEpochMillis(now), since),
      /**
       * The next probed monitors whose last result is over two intervals old or in the future, of at most `limit` late ones from a
       * cursor on, longest late first. Usually few; all after an outage, and all of a region that is gone.
       */
      monitors: (now: DateTime.Utc, from: SweepCursor | null, limit: number): Effect.Effect<SweepStep> =>
        Effect.map(late(DateTime.toEpochMillis(now), from ?? sweepStart, limit), (rows) => {
          const last = rows.length < limit ? undefined : rows.at(-1)
          return {
            monitors: rows.flatMap(({ silent }) => silent === null ? [] : [withPacing(silent)]),
            next: last === undefined ? null : { lateAt: last.lateAt, lateId: last.lateId }
          }
        }),
      /**
       * Those of the `limit` monitors that became late last, so that long-late ones hide nothing new. Reads one index range,
       * empty while all is well.
       */
      latest: (now: DateTime.Utc, limit: number): Effect.Effect<ReadonlyArray<SilentMonitor>> =>
        Effect.map(
          latest(DateTime.toEpochMillis(now), limit),
          (rows) => rows.flatMap(({ silent }) => silent === null ? [] : [withPacing(silent)])
        ),
      /** The regions that have monitors to check but delivered nothing for a minute, and the time of the last result of each. */
      regions: (now: DateTime.Utc): Effect.Effect<ReadonlyArray<RegionAtWork>> =>
        Effect.map(regions(DateTime.toEpochMillis(now)), (rows) =>
          rows.map(({ intervalSec, timeoutMs, ...rest }) => ({
            ...rest,
            regions: [rest.id],
            pacing: { intervalSec, timeoutMs }
          })))
    }
  })
}) {}
