/** Suggests the known word closest to a misspelt one. */

/** The Levenshtein distance. */
const distance = (from: string, to: string): number => {
  let previous = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 0; i < from.length; i++) {
    const row = [i + 1]
    for (let j = 0; j < to.length; j++) {
      const swap = (previous[j] ?? 0) + (from[i] === to[j] ? 0 : 1)
      row.push(Math.min(swap, (previous[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1))
    }
    previous = row
  }
  return previous[to.length] ?? 0
}

/** `interval_sec` and `IntervalSec` are spellings of `intervalSec`. */
const plain = (word: string) => word.toLowerCase().replace(/[^a-z0-9]/g, "")

/** The closest of `known`; null if more than half of its letters differ, or if `word` is longer than 64 characters. */
export const nearest = (word: string, known: ReadonlyArray<string>): string | null => {
  if (word.length > 64) return null
  const best = known
    .map((candidate) => ({ candidate, apart: distance(plain(word), plain(candidate)) }))
    .sort((a, b) => a.apart - b.apart)[0]
  return best !== undefined && best.apart * 2 <= best.candidate.length ? best.candidate : null
}
