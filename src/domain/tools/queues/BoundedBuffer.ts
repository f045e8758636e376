/** A bounded queue that drops its oldest items when it is full. */

interface BufferLimits<A> {
  readonly items: number
  readonly bytes: number
  /** About the memory of an item, bytes. */
  readonly weigh: (item: A) => number
}

export const makeBoundedBuffer = <A>(limits: BufferLimits<A>) => {
  let items: Array<A> = []
  let weights: Array<number> = []
  let head = 0
  let bytes = 0
  const size = (): number => items.length - head
  /** Frees the slots of taken items once they are more than half of the array. */
  const compact = (): void => {
    if (head * 2 <= items.length) return
    items = items.slice(head)
    weights = weights.slice(head)
    head = 0
  }
  const advance = (count: number): void => {
    for (let left = count; left > 0; left--) bytes -= weights[head++] ?? 0
  }
  /** The newest item stays, however large it is. */
  const trim = (): number => {
    let dropped = 0
    for (; size() > 1 && (size() > limits.items || bytes > limits.bytes); dropped++) advance(1)
    compact()
    return dropped
  }
  return {
    /** Adds an item; returns how many of the oldest items were dropped for it. */
    offer: (item: A): number => {
      const weight = limits.weigh(item)
      items.push(item)
      weights.push(weight)
      bytes += weight
      return trim()
    },
    /** Puts taken items back in front; returns how many items were dropped. */
    putBack: (front: ReadonlyArray<A>): number => {
      const weighed = front.map(limits.weigh)
      items = [...front, ...items.slice(head)]
      weights = [...weighed, ...weights.slice(head)]
      head = 0
      bytes += weighed.reduce((sum, weight) => sum + weight, 0)
      return trim()
    },
    /** Takes up to `limit` items, oldest first. */
    take: (limit: number): Array<A> => {
      const taken = items.slice(head, head + limit)
      advance(taken.length)
      compact()
      return taken
    },
    /** The oldest item. */
    peek: (): A | undefined => items[head],
    size,
    bytes: (): number => bytes
  }
}
