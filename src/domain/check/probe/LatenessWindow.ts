/** How late the looks of a stretch of time began: counts and the 99th percentile, in constant space. */

export interface LatenessSummary {
  readonly looks: number
  /** Looks that began late, and slots that were left out because nothing could begin. */
  readonly late: number
  /** Milliseconds, exact to 6 %; 0 without looks. */
  readonly p99Ms: number
}

export interface LatenessWindow {
  /** A look of a monitor with this interval began so late; both in ms. */
  readonly began: (lateMs: number, intervalMs: number) => void
  /** A slot was left out: nothing could begin before the next one. */
  readonly missed: () => void
  /** The lateness since the last call. */
  readonly take: () => LatenessSummary
}

/** Twelve buckets for each doubling: up to 17 minutes. */
const perDoubling = 12
const size = 20 * perDoubling + 1

const bucketOf = (ms: number): number => Math.min(size - 1, Math.round(Math.log2(1 + Math.max(ms, 0)) * perDoubling))
const valueOf = (bucket: number): number => Math.round(2 ** (bucket / perDoubling) - 1)

/** Late is more than a second, and more than a tenth of the interval. */
export const isLate = (lateMs: number, intervalMs: number): boolean => lateMs > Math.max(1000, intervalMs / 10)

export const makeLatenessWindow = (): LatenessWindow => {
  const buckets = new Int32Array(size)
  let looks = 0
  let late = 0

  const percentile = (): number => {
    const wanted = looks * 0.99
    let count = 0
    const bucket = buckets.findIndex((inBucket) => (count += inBucket) >= wanted)
    return looks === 0 ? 0 : valueOf(bucket)
  }

  return {
    began: (lateMs, intervalMs) => {
      const bucket = bucketOf(lateMs)
      buckets[bucket] = (buckets[bucket] ?? 0) + 1
      looks++
      if (isLate(lateMs, intervalMs)) late++
    },
    missed: () => {
      late++
    },
    take: () => {
      const summary = { looks, late, p99Ms: percentile() }
      buckets.fill(0)
      looks = 0
      late = 0
      return summary
    }
  }
}
