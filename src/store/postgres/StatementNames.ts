/** Names the statements that a process repeats, so that PostgreSQL parses and analyzes each once per connection instead of every time. */
import { Predicate } from "effect"

/** A text gets its name the third time, so statements of varying text, such as definitions of partitions, get none. */
const namedAfter = 2

/** A connection of the server keeps each named statement until it closes, some 20 kB. */
const mostNames = 400

/** Longer texts are bulk writes, for which parsing costs little beside the rest. */
const longestText = 20_000

/** Texts that are counted; they are forgotten when more arrive. */
const mostCounted = 2_000

/** "cached plan must not change result type" has the general code 0A000, feature_not_supported. */
const isStale = (error: unknown): boolean =>
  Predicate.hasProperty(error, "code") && error.code === "0A000" && error instanceof Error && /cached plan/.test(error.message)

/** Chooses the names, for all connections of a process. */
export const makeStatementNames = () => {
  const names = new Map<string, string>()
  const seen = new Map<string, number>()
  const unfit = new Set<string>()
  let made = 0
  return {
    /** The name of a text; null while it has none. */
    nameOf: (text: string): string | null => {
      const known = names.get(text)
      if (known !== undefined) return known
      if (names.size >= mostNames || text.length > longestText || unfit.has(text)) return null
      const before = seen.get(text) ?? 0
      if (before < namedAfter) {
        if (seen.size >= mostCounted) seen.clear()
        seen.set(text, before + 1)
        return null
      }
      seen.delete(text)
      const name = `belltower_${made++}`
      names.set(text, name)
      return name
    },
    /** Never names a text again whose rows have another type than before, as after a migration: a named statement refuses that. */
    failed: (text: string, error: unknown): void => {
      if (!isStale(error)) return
      unfit.add(text)
      names.delete(text)
    }
  }
}

export type StatementNames = ReturnType<typeof makeStatementNames>
