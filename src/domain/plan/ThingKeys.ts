/** The keys by which documents name the things of a workspace: those that a plan recorded, and others made from their names. */
import { keyOf } from "../page/Slug.ts"

export interface Named {
  readonly id: string
  readonly name: string
}

export type ThingKeys = ReturnType<typeof thingKeys>

const longestBase = 56

/** The last characters of an id are random, so two things of one name differ in them. */
const tailed = ({ id, name }: Named): string => `${keyOf(name).slice(0, longestBase)}-${id.slice(-6)}`

/** `linked` are the keys that plans recorded, by id. Others have the key of their name if it is unique, else one with their id's end. */
export const thingKeys = (things: ReadonlyArray<Named>, linked: ReadonlyMap<string, string>) => {
  const others = things.filter(({ id }) => !linked.has(id))
  const bases = new Map<string, number>()
  for (const key of linked.values()) bases.set(key, 1)
  for (const { name } of others) bases.set(keyOf(name), (bases.get(keyOf(name)) ?? 0) + 1)
  const keys = new Map<string, string>()
  const ids = new Map<string, string>()
  for (const thing of others) {
    const isAlone = bases.get(keyOf(thing.name)) === 1
    keys.set(thing.id, isAlone ? keyOf(thing.name) : tailed(thing))
    ids.set(tailed(thing), thing.id)
    if (isAlone) ids.set(keyOf(thing.name), thing.id)
  }
  for (const { id } of things) {
    const key = linked.get(id)
    if (key === undefined) continue
    keys.set(id, key)
    ids.set(key, id)
  }
  return { keyOf: keys, idOf: ids }
}
