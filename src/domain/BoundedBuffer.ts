/** A queue that forgets its oldest items rather than grow beyond its bounds. */

export interface BoundedBuffer<A> {
  /** Adds an item; false when the oldest had to go for it. */
  readonly offer: (item: A) => boolean
  /** Takes up to `most` items, oldest first. */
  readonly take: (most: number) => Array<A>
  readonly size: () => number
}

export const makeBoundedBuffer = <A>(capacity: number): BoundedBuffer<A> => {
  let items: Array<A> = []
  let head = 0
  const size = (): number => items.length - head
  /** Gives back the room of what has been taken, once it is the larger part. */
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
    take: (most) => {
      const taken = items.slice(head, head + most)
      head += taken.length
      compact()
      return taken
    },
    size
  }
}
