/** Orders things that need each other so that each comes after what it needs. */
import { gather } from "../tools/Gather.ts"

interface Dependent {
  readonly key: string
  readonly dependsOn?: ReadonlyArray<string> | undefined
}

/** Dependencies come first; else the order stays. `circular` are the things in a cycle, and those that depend on them. */
export const dependencyOrder = <A extends Dependent>(things: ReadonlyArray<A>) => {
  const known = new Set(things.map(({ key }) => key))
  const missing = new Map<A, number>()
  const waiting = gather(things.flatMap((thing) => {
    const needed = [...new Set(thing.dependsOn)].filter((key) => known.has(key))
    missing.set(thing, needed.length)
    return needed.map((key) => [key, thing] as const)
  }))
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
