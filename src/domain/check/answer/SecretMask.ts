/** Keeps credentials out of what is stored: the values a request carried, and the cookies an answer sets. */
import { mask } from "../../../../schema/Mask.ts"

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

/** Masking shorter values would protect little and would garble ordinary words. */
const shortestSecret = 6

/** The words of all values together that are masked besides the values themselves, characters. */
const mostOfWords = 16_384

const masks = new WeakMap<ReadonlyArray<string>, (text: string) => string>()

/** `text` without any of the secrets, such as an echoed Authorization header. */
export const maskSecrets = (secrets: ReadonlyArray<string>, text: string): string => {
  const known = masks.get(secrets)
  if (known !== undefined) return known(text)
  const made = textMask(secrets.filter((secret) => secret.length >= shortestSecret), mask)
  masks.set(secrets, made)
  return made(text)
}

/** A Set-Cookie value with its name and attributes, but not its content. */
export const maskCookie = (cookie: string): string => cookie.replace(/^([^=;]*)=[^;]*/, `$1=${mask}`)

/** The headers whose values name a client or a format, not a person: no secrets, and kept across origins. */
const plain = new Set(["user-agent", "accept", "accept-language", "accept-encoding", "content-type", "cache-control", "pragma"])

/** True if a request header (lower case) may hold a credential. */
export const isCredential = (header: string): boolean => !plain.has(header)

/** The longest of some words that fit into `most` characters together. */
const longestOf = (words: Iterable<string>, most: number): ReadonlyArray<string> => {
  let left = most
  return [...words].sort((a, b) => b.length - a.length).filter((word) => (left -= word.length) >= 0)
}

/** Every text that must not be kept of a request: its credential headers, also without their scheme (`Bearer x`) or part by part. */
export const secretsOf = (headers: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const values = Object.entries(headers)
    .filter(([name]) => isCredential(name.toLowerCase()) && name.toLowerCase() !== "host")
    .map(([, value]) => value)
  const words = new Set(values.flatMap((value) => value.split(/\s+/).slice(1)))
  return [...new Set([...values, ...longestOf(words, mostOfWords)])].sort((a, b) => b.length - a.length)
}
