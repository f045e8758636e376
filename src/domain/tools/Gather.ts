/** Puts values into lists by key, keeping their order. */
export const gather = <K, A>(entries: Iterable<readonly [K, A]>): ReadonlyMap<K, ReadonlyArray<A>> => {
  const lists = new Map<K, Array<A>>()
  for (const [key, value] of entries) {
    const list = lists.get(key)
    if (list === undefined) lists.set(key, [value])
    else list.push(value)
  }
  return lists
}
