/** A pool for thousands of short-lived items that reuses its slots. */

export interface SlotPool<A> {
  /** Adds an item and returns its slot. */
  readonly put: (item: A) => number
  readonly free: (slot: number) => void
  readonly all: () => ReadonlyArray<A>
}

/**
 * Replaces a long-lived Set. A Set that rehashes leaves its old table behind, which still references the removed items. Once V8
 * has promoted that table, it promotes all of those items with it.
 */
export const makeSlotPool = <A extends object>(): SlotPool<A> => {
  const items: Array<A | null> = []
  const freed: Array<number> = []
  return {
    put: (item) => {
      const slot = freed.pop() ?? items.length
      items[slot] = item
      return slot
    },
    free: (slot) => {
      items[slot] = null
      freed.push(slot)
    },
    all: () => items.filter((item) => item !== null)
  }
}
