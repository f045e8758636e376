/** The average latency of each of the last 24 hours, for a sparkline. */
import { type LatencySum, startOf } from "./CheckRollup.ts"

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
