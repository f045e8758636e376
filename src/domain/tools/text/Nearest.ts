/** Suggests the known word closest to a misspelt one. */

/** A longer text is no misspelt name. */
const longestWord = 64

/** The Levenshtein distance, or a number above `most` if it is larger than that. */
const distance = (from: string, to: string, most: number): number => {
  if (Math.abs(from.length - to.length) > most) return most + 1
  let previous = Array.from({ length: to.length + 1 }, (_, i) => i)
  let row = previous.slice()
  for (let i = 0; i < from.length; i++) {
    let least = row[0] = i + 1
    for (let j = 0; j < to.length; j++) {
      const swap = (previous[j] ?? 0) + (from[i] === to[j] ? 0 : 1)
      const cell = Math.min(swap, (previous[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1)
      row[j + 1] = cell
      least = Math.min(least, cell)
    }
    // Rows never fall below the least of the one before.
    if (least > most) return most + 1
    const spent = previous
    previous = row
    row = spent
  }
  return previous[to.length] ?? 0
}

/** `interval_sec` and `IntervalSec` are spellings of `intervalSec`. */
const plain = (word: string) => word.toLowerCase().replace(/[^a-z0-9]/g, "")

/** The closest of `known` of which at most half of the letters differ; null if there is none, or if `word` is too long for a name. */
export const nearest = (word: string, known: ReadonlyArray<string>): string | null => {
  if (word.length > longestWord) return null
  const given = plain(word)
  let best: string | null = null
  let apart = Infinity
  for (const candidate of known) {
    const most = Math.min(apart - 1, Math.floor(candidate.length / 2))
    const found = most < 0 ? Infinity : distance(given, plain(candidate), most)
    if (found > most) continue
    best = candidate
    apart = found
  }
  return best
}

/** The end of a message about an unknown word; empty if no known word is close. */
export const suggestion = (word: string, known: ReadonlyArray<string>): string => {
  const meant = nearest(word, known)
  return meant === null ? "" : `; did you mean ${meant}?`
}
