/** A series of response times, from the rollups of one or more monitors. */
import { instant } from "../../../../schema/Fields.ts"
import type { ResponseTimeRange, ResponseTimes } from "../../../../schema/page/ResponseTimes.ts"
import { dayMs, halfHour, mergeRollups, type Rollup, startOf } from "./CheckRollup.ts"
import { mergeTallies } from "./CheckTally.ts"
import { type LatencySketch, mergeSketches, quantile } from "./LatencySketch.ts"

/** How much time a series covers, and how much each of its buckets, ms. */
const seriesOf: Record<ResponseTimeRange, { readonly length: number; readonly bucket: number }> = {
  "24h": { length: dayMs, bucket: halfHour },
  "7d": { length: 7 * dayMs, bucket: 6 * halfHour },
  "30d": { length: 30 * dayMs, bucket: 24 * halfHour },
  "90d": { length: 90 * dayMs, bucket: dayMs }
}

/** The start of a series whose last bucket contains `now`; both in ms. */
export const seriesStart = (range: ResponseTimeRange, now: number): number => {
  const { bucket, length } = seriesOf[range]
  return startOf(now, bucket) - length + bucket
}

/** The response times of a component: the series, and the percentiles over all of its checks (ms). */
export interface MeasuredResponses {
  readonly series: ResponseTimes
  readonly p50: number | null
  readonly p95: number | null
}

const countOf = (latencies: LatencySketch): number => [...latencies.values()].reduce((sum, own) => sum + own, 0)

export const measuredResponses = (range: ResponseTimeRange, rollups: ReadonlyArray<Rollup>, now: number): MeasuredResponses => {
  const { bucket, length } = seriesOf[range]
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
