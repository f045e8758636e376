/** A first-in, first-out queue in one array: constant amortized time per operation, and no garbage per item. */

export interface Fifo<A> {
  readonly push: (item: A) => void
  /** The oldest item, without removing it; undefined if empty. */
  readonly peek: () => A | undefined
  readonly shift: () => A | undefined
  readonly size: () => number
}

/** Compacting is not worth the copy for fewer removed items than this. */
const compactFrom = 64

export const makeFifo = <A>(): Fifo<A> => {
  const items: Array<A | undefined> = []
  let head = 0
  return {
    push: (item) => {
      items.push(item)
    },
    peek: () => items[head],
    shift: () => {
      if (head === items.length) return undefined
      const item = items[head]
      items[head++] = undefined
      if (head === items.length) {
        items.length = 0
        head = 0
      } else if (head >= compactFrom && head * 2 >= items.length) {
        items.copyWithin(0, head)
        items.length -= head
        head = 0
      }
      return item
    },
    size: () => items.length - head
  }
}
