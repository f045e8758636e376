/** Orders things that need each other so that each comes after what it needs. */

interface Dependent {
  readonly key: string
  readonly dependsOn?: ReadonlyArray<string> | undefined
}

/** Dependencies come first; else the order stays. `circular` are the things in a cycle, and those that depend on them. */
export const dependencyOrder = <A extends Dependent>(things: ReadonlyArray<A>) => {
  const known = new Set(things.map(({ key }) => key))
  const missing = new Map<A, number>()
  const waiting = new Map<string, Array<A>>()
  for (const thing of things) {
    const needed = new Set((thing.dependsOn ?? []).filter((key) => known.has(key)))
    missing.set(thing, needed.size)
    for (const key of needed) {
      const others = waiting.get(key)
      if (others === undefined) waiting.set(key, [thing])
      else others.push(thing)
    }
  }
  const ordered: Array<A> = things.filter((thing) => missing.get(thing) === 0)
  // The list grows while it is read.
  for (const { key } of ordered) {
    for (const thing of waiting.get(key) ?? []) {
      const left = (missing.get(thing) ?? 0) - 1
      missing.set(thing, left)
      if (left === 0) ordered.push(thing)
    }
  }
  const placed = new Set(ordered)
  return { ordered, circular: things.filter((thing) => !placed.has(thing)) }
}
