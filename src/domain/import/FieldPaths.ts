/** Finds and removes parts of an input by the paths of their problems. */
import { Predicate } from "effect"
import { storable } from "../tools/text/Storable.ts"

type Path = ReadonlyArray<PropertyKey>

export interface Problem {
  readonly path: Path
  readonly message: string
}

const at = (value: unknown, key: PropertyKey): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined

/** The path that a dotted text means; the name of a header may have a dot. */
export const pathIn = (value: unknown, text: string): Path => {
  if (text === "") return []
  const keys = Predicate.isRecord(value) ? Object.keys(value).filter((key) => text === key || text.startsWith(`${key}.`)) : []
  const [longest = text.split(".", 1)[0] ?? text] = keys.sort((one, other) => other.length - one.length)
  return [longest, ...pathIn(at(value, longest), text.slice(longest.length + 1))]
}

const removed = (value: unknown, path: Path): unknown => {
  const [key, ...rest] = path
  if (key === undefined || at(value, key) === undefined) return undefined
  // Of a list, the whole entry goes.
  const inner = Array.isArray(value) ? undefined : removed(at(value, key), rest)
  if (Array.isArray(value)) return value.length === 1 ? undefined : value.filter((_, index) => index !== Number(key))
  if (!Predicate.isRecord(value)) return undefined
  const others = Object.entries(value).filter(([name]) => name !== key)
  const left = inner === undefined ? others : [...others, [String(key), inner] as const]
  return left.length === 0 ? undefined : Object.fromEntries(left)
}

/** The value without what is at the path: the entry of the list, or the field; the value itself if there is nothing. */
export const without = (value: unknown, path: Path): unknown => {
  const [first] = path
  if (first === undefined || at(value, first) === undefined) return value
  return removed(value, path) ?? {}
}

/** A value whose texts PostgreSQL takes. */
export const storableIn = (value: unknown): unknown =>
  typeof value === "string"
    ? storable(value)
    : Array.isArray(value)
    ? value.map(storableIn)
    : Predicate.isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [storable(name), storableIn(inner)]))
    : value
