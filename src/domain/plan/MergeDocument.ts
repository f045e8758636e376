/** Completes a document whose entries name only what changes: each keeps what the workspace has for the fields that it omits. */
import { Predicate } from "effect"

type Entry = Readonly<Record<string, unknown>>

const byKey = (entries: unknown): ReadonlyMap<unknown, Entry> =>
  new Map(Array.isArray(entries) ? entries.filter(Predicate.isRecord).map((entry) => [entry["key"], entry]) : [])

/** Components are entries of their page. */
const mergedEntries = (now: unknown, given: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const known = byKey(now)
  return given.map((entry) => {
    const before = Predicate.isRecord(entry) ? known.get(entry["key"]) : undefined
    if (!Predicate.isRecord(entry) || before === undefined) return entry
    const { components } = entry
    return {
      ...before,
      ...entry,
      ...(Array.isArray(components) ? { components: mergedEntries(before["components"], components) } : {})
    }
  })
}

/** The document with its entries completed by those of `now` that have the same key. Anything else stays as it was given. */
export const mergeDocument = (now: Entry, given: unknown): unknown =>
  Predicate.isRecord(given)
    ? Object.fromEntries(
      Object.entries(given).map(([section, entries]) => [
        section,
        Array.isArray(entries) ? mergedEntries(now[section], entries) : entries
      ])
    )
    : given
