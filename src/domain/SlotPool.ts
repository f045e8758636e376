/** Things that come and go by the thousand, kept in slots that are used again. */

export interface SlotPool<A> {
  /** The slot it was put into. */
  readonly put: (item: A) => number
  readonly free: (slot: number) => void
  readonly all: () => ReadonlyArray<A>
}

/**
 * Unlike a Set that lives for long: each time one grows or tidies up it leaves its old table behind, full of what has gone, and a
 * table that has become old garbage drags all of that into the old generation.
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
