/** Shares a full queue fairly between owners: an owner with few waiting items displaces one of the owner that has most. */

export type WaitingShares = ReturnType<typeof makeWaitingShares>

/** Each operation takes constant time. */
export const makeWaitingShares = () => {
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
    add: (owner: string): void => {
      const count = counts.get(owner) ?? 0
      move(owner, count, count + 1)
      most = Math.max(most, count + 1)
      size++
    },
    remove: (owner: string): void => {
      const count = counts.get(owner) ?? 0
      if (count === 0) return
      move(owner, count, count - 1)
      if (byCount[most]?.size === 0) {
        most--
        byCount.length = most + 1
      }
      size--
    },
    size: (): number => size,
    /** How many owners have items that wait. */
    owners: (): number => counts.size,
    largest,
    /** The owner that loses an item for one more of `owner`, and then still has as many or more; undefined if there is none. */
    giverFor: (owner: string): string | undefined => (most <= (counts.get(owner) ?? 0) + 1 ? undefined : largest())
  }
}
