/** The lateness of the checks in a stretch of time: counts and the 99th percentile, in constant space. */

/** Twelve buckets for each doubling: up to 17 minutes. */
const perDoubling = 12
const size = 20 * perDoubling + 1

const bucketOf = (ms: number): number => Math.min(size - 1, Math.round(Math.log2(1 + Math.max(ms, 0)) * perDoubling))
const valueOf = (bucket: number): number => Math.round(2 ** (bucket / perDoubling) - 1)

/** Late is more than a second, and more than a tenth of the interval. */
export const isLate = (lateMs: number, intervalMs: number): boolean => lateMs > Math.max(1000, intervalMs / 10)

export const makeLatenessWindow = () => {
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
    /** A check of a monitor with this interval began so late; both in ms. */
    began: (lateMs: number, intervalMs: number): void => {
      const bucket = bucketOf(lateMs)
      buckets[bucket] = (buckets[bucket] ?? 0) + 1
      looks++
      if (isLate(lateMs, intervalMs)) late++
    },
    /** A slot was left out: nothing could begin before the next one. */
    missed: (): void => {
      late++
    },
    /** The checks since the last call. `late`: those that began late, and slots left out. `p99Ms` is exact to 6 %. */
    take: () => {
      const summary = { looks, late, p99Ms: percentile() }
      buckets.fill(0)
      looks = 0
      late = 0
      return summary
    }
  }
}
