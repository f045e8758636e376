/** A pool for thousands of short-lived items that reuses its slots. */

export type SlotPool<A extends object> = ReturnType<typeof makeSlotPool<A>>

/** Replaces a long-lived Set, whose old tables keep references to removed items: V8 promotes these together with a table. */
export const makeSlotPool = <A extends object>() => {
  const items: Array<A | null> = []
  const freed: Array<number> = []
  return {
    put: (item: A): number => {
      const slot = freed.pop() ?? items.length
      items[slot] = item
      return slot
    },
    free: (slot: number): void => {
      items[slot] = null
      freed.push(slot)
    },
    all: (): ReadonlyArray<A> => items.filter((item) => item !== null)
  }
}
