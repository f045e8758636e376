/**
 * Shares the places of a full line fairly between owners: an owner that has few waiting takes a place from the one that has most.
 * Without this, the owner that fills the line first keeps all others out of it, however fairly the line itself is served.
 */

export interface WaitingShares {
  readonly add: (owner: string) => void
  readonly remove: (owner: string) => void
  /** How many items wait. */
  readonly size: () => number
  /** How many owners have items that wait. */
  readonly owners: () => number
  /** An owner that has most; undefined if nothing waits. */
  readonly largest: () => string | undefined
  /**
   * The owner that gives a place up for one more item of `owner`, because it then still has as many as that one or more; undefined
   * if there is none. So an owner that is refused has at most one item fewer than any other.
   */
  readonly giverFor: (owner: string) => string | undefined
}

/** Each operation takes constant time. */
export const makeWaitingShares = (): WaitingShares => {
  const counts = new Map<string, number>()
  /** The owners with so many items; none for 0. */
  const byCount: Array<Set<string>> = []
  let most = 0
  let size = 0

  const move = (owner: string, from: number, to: number): void => {
    if (from > 0) byCount[from]?.delete(owner)
    if (to === 0) return void counts.delete(owner)
    counts.set(owner, to)
    const equals = byCount[to]
    if (equals === undefined) byCount[to] = new Set([owner])
    else equals.add(owner)
  }

  const largest = (): string | undefined => {
    const [first] = byCount[most] ?? []
    return first
  }

  return {
    add: (owner) => {
      const count = counts.get(owner) ?? 0
      move(owner, count, count + 1)
      most = Math.max(most, count + 1)
      size++
    },
    remove: (owner) => {
      const count = counts.get(owner) ?? 0
      if (count === 0) return
      move(owner, count, count - 1)
      if (byCount[most]?.size === 0) {
        most--
        byCount.length = most + 1
      }
      size--
    },
    size: () => size,
    owners: () => counts.size,
    largest,
    giverFor: (owner) => (most <= (counts.get(owner) ?? 0) + 1 ? undefined : largest())
  }
}
