/** Series over a range of time: the response times of a component, and the states and latencies of a monitor. */
import type { MonitorHistory } from "../../../../schema/check/MonitorHistory.ts"
import { instant } from "../../../../schema/Fields.ts"
import type { ResponseTimeRange } from "../../../../schema/page/ResponseTimes.ts"
import type { Span } from "../../monitor/Uptime.ts"
import { dayMs, halfHour, type LatencySum, mergeRollups, type Rollup, startOf } from "./CheckRollup.ts"
import { type CheckTally, mergeTallies, statsOf } from "./CheckTally.ts"
import { countOf, mergeSketches, quantile } from "./LatencySketch.ts"
import { meanPhases } from "./PhaseSums.ts"

interface Range {
  /** How much time it covers, ms. */
  readonly length: number
  /** The bucket of a series, ms. */
  readonly bucket: number
  /** The bucket of a history, ms: a chart of ten regions has at most 1,800 points. */
  readonly fine: number
}

const ranges: Record<ResponseTimeRange, Range> = {
  "24h": { length: dayMs, bucket: halfHour, fine: halfHour },
  "7d": { length: 7 * dayMs, bucket: 6 * halfHour, fine: 2 * halfHour },
  "30d": { length: 30 * dayMs, bucket: 24 * halfHour, fine: 8 * halfHour },
  "90d": { length: 90 * dayMs, bucket: dayMs, fine: dayMs }
}

/** The start of a range whose last bucket contains `now`; all in ms. */
const rangeStart = (length: number, bucket: number, now: number): number => startOf(now, bucket) - length + bucket

/** The start of a series whose last bucket contains `now`; both in ms. */
export const seriesStart = (range: ResponseTimeRange, now: number): number =>
  rangeStart(ranges[range].length, ranges[range].bucket, now)

/** The response times of a component: the series, and the percentiles over all of its checks (ms). */
export type MeasuredResponses = ReturnType<typeof measuredResponses>

export const measuredResponses = (range: ResponseTimeRange, rollups: ReadonlyArray<Rollup>, now: number) => {
  const { bucket, length } = ranges[range]
  const merged = mergeRollups(rollups, bucket)
  const start = seriesStart(range, now)
  const buckets = Array.from({ length: length / bucket }, (_, index) => {
    const at = start + index * bucket
    return { at, latencies: mergeTallies([...merged.get(at)?.values() ?? []]).latencies }
  })
  const all = mergeSketches(buckets.map(({ latencies }) => latencies))
  return {
    series: {
      range,
      bucketSec: bucket / 1000,
      data: buckets.map(({ at, latencies }) => ({
        at: instant(at),
        p50: quantile(latencies, 0.5),
        p95: quantile(latencies, 0.95),
        count: countOf(latencies)
      }))
    },
    p50: quantile(all, 0.5),
    p95: quantile(all, 0.95)
  }
}

const mostStates = 500

/** The start of a history whose last bucket contains `now`; both in ms. */
export const historyStart = (range: ResponseTimeRange, now: number): number =>
  rangeStart(ranges[range].length, ranges[range].fine, now)

const pointOf = (at: number, tally: CheckTally) => {
  const { checks, failures, p50, p95 } = statsOf(tally)
  return { at: instant(at), p50, p95, checks, failures, phases: meanPhases(tally.phases) }
}

/** The buckets of a range that ends at `now` (ms). */
export const latencySeries = (range: ResponseTimeRange, rollup: Rollup, now: number): MonitorHistory["regions"] => {
  const from = historyStart(range, now)
  const merged = [...mergeRollups([rollup], ranges[range].fine)].filter(([at]) => at >= from && at <= now)
    .sort(([one], [other]) => one - other)
  const regions = [...new Set(merged.flatMap(([, tallies]) => [...tallies.keys()]))].sort()
  return regions.map((region) => ({
    region,
    data: merged.flatMap(([at, tallies]) => {
      const tally = tallies.get(region)
      return tally === undefined || tally.checks === 0 ? [] : [pointOf(at, tally)]
    })
  }))
}

/** The states until `now` (ms), the end of the range. One that goes on after it is cut there. */
export const monitorHistory = (
  range: ResponseTimeRange,
  { regions, spans }: { readonly regions: MonitorHistory["regions"]; readonly spans: ReadonlyArray<Span> },
  now: number
): MonitorHistory => {
  const from = historyStart(range, now)
  return {
    range,
    from: instant(from),
    to: instant(now),
    bucketSec: ranges[range].fine / 1000,
    states: spans.filter(({ endedAt, startedAt }) => (endedAt === null || endedAt > from) && startedAt <= now)
      .slice(-mostStates).map((span) => ({
        state: span.state,
        from: instant(Math.max(from, span.startedAt)),
        to: span.endedAt === null ? null : instant(Math.min(now, span.endedAt))
      })),
    regions
  }
}

const hourMs = 3_600_000
const hours = 24

/** The start of the first hour, ms since 1970. */
export const trendStart = (now: number): number => startOf(now, hourMs) - (hours - 1) * hourMs

/** Oldest first, in whole milliseconds; null for an hour without a latency. The current hour is the last. */
export const latencyTrend = (latencies: Iterable<LatencySum>, now: number): ReadonlyArray<number | null> => {
  const start = trendStart(now)
  const sums = new Array<number>(hours).fill(0)
  const counts = new Array<number>(hours).fill(0)
  for (const { at, count, sumMs } of latencies) {
    const index = Math.floor((at - start) / hourMs)
    if (index < 0 || index >= hours) continue
    sums[index] = (sums[index] ?? 0) + sumMs
    counts[index] = (counts[index] ?? 0) + count
  }
  return sums.map((sum, index) => {
    const count = counts[index] ?? 0
    return count === 0 ? null : Math.round(sum / count)
  })
}
