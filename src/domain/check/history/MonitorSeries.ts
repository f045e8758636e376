/** The states and latencies of a monitor over a range of time, from its spans and its rollup. */
import type { MonitorHistory } from "../../../../schema/check/MonitorHistory.ts"
import { instant } from "../../../../schema/Fields.ts"
import type { ResponseTimeRange } from "../../../../schema/page/ResponseTimes.ts"
import type { Span } from "../../monitor/Uptime.ts"
import { dayMs, halfHour, mergeRollups, type Rollup, startOf } from "./CheckRollup.ts"
import { type CheckTally, statsOf } from "./CheckTally.ts"
import { meanPhases } from "./PhaseSums.ts"

/** How much time a range covers, and each of its buckets, ms. A chart of ten regions has at most 1,800 points. */
const ranges: Record<ResponseTimeRange, { readonly length: number; readonly bucket: number }> = {
  "24h": { length: dayMs, bucket: halfHour },
  "7d": { length: 7 * dayMs, bucket: 2 * halfHour },
  "30d": { length: 30 * dayMs, bucket: 8 * halfHour },
  "90d": { length: 90 * dayMs, bucket: dayMs }
}

/** States that a history lists at most. */
const mostStates = 500

/** The start of a history whose last bucket contains `now`; both in ms. */
export const historyStart = (range: ResponseTimeRange, now: number): number => {
  const { bucket, length } = ranges[range]
  return startOf(now, bucket) - length + bucket
}

const pointOf = (at: number, tally: CheckTally) => {
  const { checks, failures, p50, p95 } = statsOf(tally)
  return { at: instant(at), p50, p95, checks, failures, phases: meanPhases(tally.phases) }
}

/** The latencies of each region, in the buckets of the range. */
export const latencySeries = (range: ResponseTimeRange, rollup: Rollup, now: number): MonitorHistory["regions"] => {
  const from = historyStart(range, now)
  const merged = [...mergeRollups([rollup], ranges[range].bucket)].filter(([at]) => at >= from)
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
    bucketSec: ranges[range].bucket / 1000,
    states: spans.filter(({ endedAt }) => endedAt === null || endedAt > from).slice(-mostStates).map((span) => ({
      state: span.state,
      from: instant(Math.max(from, span.startedAt)),
      to: span.endedAt === null ? null : instant(span.endedAt)
    })),
    regions
  }
}
