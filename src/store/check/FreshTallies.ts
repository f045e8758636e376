/**
 * Sums up the checks that no rollup holds yet: those of the current hour, and of the one before until it is compacted. The database
 * does it, so what comes back is bounded by regions, half hours and buckets of latency, whatever the number of checks.
 */
import type { SqlClient, Statement } from "@effect/sql"
import type { Timings } from "../../../schema/check/Check.ts"
import type { RegionId } from "../../../schema/check/Region.ts"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { halfHour, type Rollup } from "../../domain/check/history/CheckRollup.ts"
import { type CheckTally, mergeTallies } from "../../domain/check/history/CheckTally.ts"
import { bucketGrowth, emptySketch, shortestLatency } from "../../domain/check/history/LatencySketch.ts"
import type { PhaseSums } from "../../domain/check/history/PhaseSums.ts"
import { gather } from "../../domain/tools/Gather.ts"

/** Checks of one half hour, region, outcome and bucket of latency. */
export interface FreshGroup {
  /** The start of the half hour, ms since 1970. */
  readonly at: number
  readonly region: RegionId
  readonly counted: boolean
  readonly down: boolean
  /** Null for checks whose latency does not count. */
  readonly bucket: number | null
  readonly checks: number
  /** The sum of their latencies, microseconds. */
  readonly micros: number
  /** The sums of checks that were not down. */
  readonly phases: PhaseSums
}

/** Tenths of a millisecond of a phase, 0 for one that did not take place; null for a check whose timings do not count. */
const tenths = (sql: SqlClient.SqlClient, phase: keyof Timings) =>
  sql`case when counted and outcome <> 'down' and timings is not null
    then greatest(0, floor(coalesce((timings->>${phase}::text)::float8, 0) * 10 + 0.5)) end`

/**
 * The groups since `from` (ms) as JSON; null if there are none. By the index on (monitor_id, at) of each partition. The bucket is
 * that of `sketchOf`; a latency is read as the text that the driver would show, because the column has single precision.
 */
export const freshGroups = (
  sql: SqlClient.SqlClient,
  workspaceId: WorkspaceId,
  monitorId: MonitorId,
  from: number
): Statement.Fragment =>
  sql`(
    select json_agg(found) from (
      select (floor(extract(epoch from at) * 1000 / ${halfHour}::int) * ${halfHour}::int)::float8 as at, region, counted,
        outcome = 'down' as down,
        case when timed.ms is not null then
          greatest(0, ceil(ln(greatest(timed.ms, ${shortestLatency}::float8) / ${shortestLatency}::float8) / ${bucketGrowth}::float8))
        end as bucket,
        count(*)::int as checks, coalesce(sum(floor(timed.ms * 1000 + 0.5)), 0) as micros,
        json_build_object('timed', count(phase.total), 'dns', coalesce(sum(phase.dns), 0),
          'connect', coalesce(sum(phase.connect), 0), 'tls', coalesce(sum(phase.tls), 0),
          'firstByte', coalesce(sum(phase.first_byte), 0),
          'response', coalesce(sum(greatest(0, phase.total - phase.dns - phase.connect - phase.tls - phase.first_byte)), 0)) as phases
      from checks cross join lateral (
        select case when counted and outcome <> 'down' then latency_ms::text::float8 end as ms
      ) timed cross join lateral (
        select ${tenths(sql, "dnsMs")} as dns, ${tenths(sql, "connectMs")} as connect, ${tenths(sql, "tlsMs")} as tls,
          ${tenths(sql, "firstByteMs")} as first_byte, ${tenths(sql, "totalMs")} as total
      ) phase
      where workspace_id = ${workspaceId} and monitor_id = ${monitorId}
        and at >= ${new Date(from)}
      group by 1, 2, 3, 4, 5
    ) found
  )`

const tallyOf = ({ bucket, checks, counted, down, micros, phases }: FreshGroup): CheckTally => ({
  checks: counted ? checks : 0,
  failures: counted && down ? checks : 0,
  uncounted: counted ? 0 : checks,
  latencySum: micros,
  latencies: bucket === null ? emptySketch : new Map([[bucket, checks]]),
  phases
})

export const freshRollup = (groups: ReadonlyArray<FreshGroup>): Rollup =>
  new Map(
    [...gather(groups.map((group) => [group.at, group] as const))].map(([at, own]) => {
      const regions = gather(own.map((group) => [group.region, tallyOf(group)] as const))
      return [at, new Map([...regions].map(([region, tallies]) => [region, mergeTallies(tallies)] as const))] as const
    })
  )
