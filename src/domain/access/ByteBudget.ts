/** A token bucket of bytes for each client address: how much refused input an address may send. */

interface BudgetSettings {
  /** Bytes that an address may send in a burst. */
  readonly capacity: number
  /** Bytes that come back each second. */
  readonly perSecond: number
  /** Addresses that are remembered. The one that was quiet longest is forgotten, which gives it a full budget again. */
  readonly addresses: number
}

interface Bucket {
  level: number
  /** When `level` was right, ms. */
  at: number
}

export const makeByteBudget = ({ addresses, capacity, perSecond }: BudgetSettings) => {
  const buckets = new Map<string, Bucket>()

  const levelAt = ({ at, level }: Bucket, now: number) => Math.min(capacity, level + (Math.max(0, now - at) / 1000) * perSecond)

  return {
    /** The ms until the address may send again; 0 if it may now. */
    wait: (address: string, now: number): number => {
      const bucket = buckets.get(address)
      const level = bucket === undefined ? capacity : levelAt(bucket, now)
      return level > 0 ? 0 : Math.ceil(((1 - level) / perSecond) * 1000)
    },
    /** Takes bytes, possibly more than are left: the address then waits longer. Negative bytes come back. */
    charge: (address: string, bytes: number, now: number): void => {
      const bucket = buckets.get(address) ?? { level: capacity, at: now }
      const level = Math.min(capacity, levelAt(bucket, now) - bytes)
      // Moved to the end: a Map keeps its order of insertion, so the first is the one that was quiet longest.
      buckets.delete(address)
      if (level < capacity) buckets.set(address, { level, at: now })
      if (buckets.size <= addresses) return
      for (const quiet of buckets.keys()) {
        buckets.delete(quiet)
        return
      }
    },
    size: (): number => buckets.size
  }
}
