/** A bounded queue that drops its oldest item when it is full. */

export interface BoundedBuffer<A> {
  /** Adds an item; false when the queue was full and dropped its oldest item. */
  readonly offer: (item: A) => boolean
  /** Takes up to `limit` items, oldest first. */
  readonly take: (limit: number) => Array<A>
  readonly size: () => number
}

export const makeBoundedBuffer = <A>(capacity: number): BoundedBuffer<A> => {
  let items: Array<A> = []
  let head = 0
  const size = (): number => items.length - head
  /** Frees the slots of taken items once they are more than half of the array. */
  const compact = (): void => {
    if (head * 2 <= items.length) return
    items = items.slice(head)
    head = 0
  }
  return {
    offer: (item) => {
      const fits = size() < capacity
      if (!fits) head++
      items.push(item)
      compact()
      return fits
    },
    take: (limit) => {
      const taken = items.slice(head, head + limit)
      head += taken.length
      compact()
      return taken
    },
    size
  }
}
