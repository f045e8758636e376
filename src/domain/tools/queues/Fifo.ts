/** A first-in, first-out queue in one array: constant amortized time per operation but `remove`, and no garbage per item. */

export type Fifo<A> = ReturnType<typeof makeFifo<A>>

/** Compacting is not worth the copy for fewer removed items than this. */
const compactFrom = 64

export const makeFifo = <A>() => {
  const items: Array<A | undefined> = []
  let head = 0
  const clearIfEmpty = (): void => {
    if (head < items.length) return
    items.length = 0
    head = 0
  }
  return {
    push: (item: A): void => {
      items.push(item)
    },
    peek: (): A | undefined => items[head],
    shift: (): A | undefined => {
      if (head === items.length) return undefined
      const item = items[head]
      items[head++] = undefined
      clearIfEmpty()
      if (head >= compactFrom && head * 2 >= items.length) {
        items.copyWithin(0, head)
        items.length -= head
        head = 0
      }
      return item
    },
    pop: (): A | undefined => {
      if (head === items.length) return undefined
      const item = items.pop()
      clearIfEmpty()
      return item
    },
    /** Removes an item that is in the queue, found from its oldest end; returns false if it is not there. */
    remove: (item: A): boolean => {
      const index = items.indexOf(item, head)
      if (index < 0) return false
      items.splice(index, 1)
      clearIfEmpty()
      return true
    },
    size: (): number => items.length - head
  }
}
