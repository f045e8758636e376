/** Recognizes descriptions of fields that say no more than their names, as "Only of this kind" does of `kind`. */

const pointing: ReadonlySet<string> = new Set(["a", "alert", "from", "id", "in", "of", "only", "page", "the", "this", "with"])

const wordsOf = (text: string): ReadonlyArray<string> =>
  text.replace(/([A-Z])/g, " $1").toLowerCase().split(/[^a-z]+/).filter((word) => word !== "")

const stemOf = (word: string): string => word.replace(/s$/, "")

/** Whether the description says what the name says. */
export const saysName = (name: string, description: string): boolean => {
  const named = wordsOf(name).map(stemOf)
  return /^[\w' ]+$/.test(description) &&
    wordsOf(description).every((word) => pointing.has(word) || named.includes(stemOf(word)))
}
