/** Replaces every occurrence of some words in a text, in one pass whatever the words are (Aho and Corasick, 1975). */

/** A state of the automaton: a prefix of some word. */
interface State {
  readonly next: Map<number, number>
  /** The longest proper suffix of this prefix that is a prefix of a word, too. */
  fallback: number
  /** Length of the longest word that ends here, its fallbacks' included; 0 for none. */
  longest: number
}

const newState = (): State => ({ next: new Map(), fallback: 0, longest: 0 })

const addWord = (states: Array<State>, word: string): void => {
  let at = 0
  for (let index = 0; index < word.length; index++) {
    const code = word.charCodeAt(index)
    const known = states[at]?.next.get(code)
    if (known === undefined) {
      states[at]?.next.set(code, states.length)
      at = states.push(newState()) - 1
    } else at = known
  }
  const end = states[at]
  if (end !== undefined) end.longest = word.length
}

/** Where `code` leads from a state, through its fallbacks. */
const step = (states: ReadonlyArray<State>, from: number, code: number): number => {
  for (let at = from;; at = states[at]?.fallback ?? 0) {
    const next = states[at]?.next.get(code)
    if (next !== undefined) return next
    if (at === 0) return 0
  }
}

/** Sets the fallbacks breadth first: those of shorter prefixes are known by then. */
const link = (states: ReadonlyArray<State>): void => {
  const queue = [...(states[0]?.next.values() ?? [])]
  for (let head = 0; head < queue.length; head++) {
    const at = queue[head] ?? 0
    for (const [code, child] of states[at]?.next ?? []) {
      const state = states[child]
      if (state === undefined) continue
      state.fallback = step(states, states[at]?.fallback ?? 0, code)
      state.longest = Math.max(state.longest, states[state.fallback]?.longest ?? 0)
      queue.push(child)
    }
  }
}

/** Masks each stretch of a text that words cover, overlapping ones together. Costs the length of the text and of the words. */
export const textMask = (words: Iterable<string>, mask: string): (text: string) => string => {
  const states = [newState()]
  for (const word of words) if (word !== "") addWord(states, word)
  if (states.length === 1) return (text) => text
  link(states)
  return (text) => {
    const covered: Array<{ start: number; end: number }> = []
    let at = 0
    for (let index = 0; index < text.length; index++) {
      at = step(states, at, text.charCodeAt(index))
      const longest = states[at]?.longest ?? 0
      if (longest === 0) continue
      let start = index + 1 - longest
      // A longer word that ends here swallows the stretches that lie within it.
      for (let last = covered.at(-1); last !== undefined && last.end > start; last = covered.at(-1)) {
        start = Math.min(start, last.start)
        covered.pop()
      }
      covered.push({ start, end: index + 1 })
    }
    let written = 0
    const parts = covered.flatMap(({ end, start }) => {
      const before = text.slice(written, start)
      written = end
      return [before, mask]
    })
    return parts.length === 0 ? text : [...parts, text.slice(written)].join("")
  }
}
