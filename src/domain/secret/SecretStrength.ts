/**
 * How hard a secret is to guess for somebody who knows how people make up secrets: by words, repetitions, rows of keys. The estimate is
 * rather too low: what is drawn at random has far more than is asked for, and nobody has to remember it.
 */

/** More than anybody can try. Five words drawn by dice have as many. */
const leastBits = 64
const leastCharacters = 16
/** Nothing is gained by looking at more. */
const mostLooked = 256

/** The bits of one word drawn by dice from a list of 7,776. */
const wordBits = 13
/** The bits of each further letter of a text in some language. */
const letterBits = 1.5
/** The bits of a part that repeats, continues, or is among the first that are tried. */
const knownBits = 3

/** Words of made-up secrets, and the most frequent ones of sentences. */
const known = new Set(
  `password passwort passwd passphrase secret secrets changeme change default example sample placeholder replace insert update
  belltower monitoring uptime status deployment production prod staging development test tests testing bench benches demo local
  localhost admin administrator root user guest login letmein welcome master access server system database docker compose
  kubernetes token apikey private public internal random string value strong secure security company super hello world flow
  dragon monkey football baseball superman batman iloveyou trustno sunshine princess shadow michael correct horse battery staple
  please this that these those with from your mine very long short real must have should would could never always another
  altogether the and for not but you are our his her its was has had all any can new old one two who how why something here key keys
  lorem ipsum dolor amet foo bar baz qux of to in on at is it be by or an as we us my me if so no do go up a i`.split(/\s+/)
)
/** Shorter ones appear inside random texts by chance. */
const knownInside = [...known].filter((word) => word.length >= 5)

/** Rows of keyboards and alphabets. */
const walks = ["abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl", "zxcvbnm"]
  .concat(["1qaz", "2wsx", "3edc", "4rfv", "5tgb", "6yhn", "7ujm", "8ik", "9ol"])
  .flatMap((row) => [row, [...row].reverse().join("")])
const leastWalk = 3

/** Characters that stand for letters in made-up secrets. */
const meant: Readonly<Record<string, string>> = { "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s" }
const asMeant = (text: string): string => text.replace(/[013457@$]/g, (one) => meant[one] ?? one)

/** The characters among which each one of a random text is drawn, by what appears in it. */
const alphabets: ReadonlyArray<readonly [RegExp, number]> = [
  [/[a-f]/, 6],
  [/[g-z]/, 20],
  [/[A-Z]/, 26],
  [/\d/, 10],
  [/\W|_/, 8]
]
const characterBits = (text: string): number =>
  Math.log2(alphabets.reduce((sum, [pattern, size]) => pattern.test(text) ? sum + size : sum, 0))

/** A part at the beginning of what is left, in characters, and what it is worth in bits. */
type Part = readonly [length: number, bits: number]

/** As much as was there before, but for case. */
const repeated = (text: string, at: number): Part | null => {
  let length = 2
  while (at + length < text.length && text.lastIndexOf(text.slice(at, at + length + 1), at - 1) >= 0) length++
  return at > 0 && length > 2 ? [length, knownBits] : null
}

const walked = (text: string, at: number): Part | null => {
  let length = leastWalk - 1
  while (at + length < text.length && walks.some((row) => row.includes(text.slice(at, at + length + 1)))) length++
  return length >= leastWalk ? [length, knownBits] : null
}

const familiar = (text: string, at: number): Part | null => {
  const meaning = asMeant(text)
  const word = knownInside.filter((one) => meaning.startsWith(one, at)).sort((one, other) => other.length - one.length)[0]
  return word === undefined ? /^(?:19|20)\d\d(?!\d)/.test(text.slice(at)) ? [4, knownBits] : null : [word.length, knownBits]
}

/** Signs that a text is no word: four consonants in a row, three at its beginning other than "str" and the like, or no vowel. */
const unspeakable = /[b-df-hj-np-tv-xz]{4}|^(?!s[chkpt]|thr|chr|phr)[b-df-hj-np-tv-xz]{3}|q(?!u)|^[^aeiouy]+$/i

/** Letters in a row are a word, or several if they are many; up to where something begins that is known or was there before. */
const worded = (original: string, text: string, at: number, bits: number): Part | null => {
  const [run = ""] = /^(?:[A-Z]?[a-z]+|[A-Z]+)/.exec(original.slice(at)) ?? []
  if (known.has(run.toLowerCase())) return [run.length, knownBits]
  const next = knownInside.map((one) => run.toLowerCase().indexOf(one)).filter((found) => found > 0)
  const again = [...run].findIndex((_, after) => after > 0 && (repeated(text, at + after)?.[0] ?? 0) > 3)
  const length = Math.min(run.length, ...next, ...(again < 0 ? [] : [again]))
  if (length < 3) return null
  return [
    length,
    unspeakable.test(run.slice(0, length))
      ? length * bits
      : Math.min(length * bits, wordBits + letterBits * Math.max(0, length - 5))
  ]
}

/** One character: a separator that was used before is worth hardly anything. */
const single = (text: string, at: number, bits: number): Part => {
  const one = text.charAt(at)
  return [1, /[\w]/.test(one) ? bits : text.indexOf(one) < at ? 0.5 : Math.min(4, bits)]
}

/** Bits that guessing a secret takes, about. */
export const guessingBits = (secret: string): number => {
  const original = secret.slice(0, mostLooked)
  const text = original.toLowerCase()
  const bits = characterBits(original)
  let sum = 0
  for (let at = 0; at < original.length;) {
    const [length, worth] = repeated(text, at) ?? walked(text, at) ?? familiar(text, at) ?? worded(original, text, at, bits) ??
      single(original, at, bits)
    sum += worth
    at += length
  }
  return sum
}

const wayOut = "Use a random one, such as the output of \"openssl rand -hex 32\""

/** The problem of a secret, as the end of a sentence that begins with its name; null for a good one. */
export const secretProblem = (secret: string): string | null =>
  secret.length < leastCharacters
    ? `must have at least ${leastCharacters} characters. ${wayOut}`
    : guessingBits(secret) < leastBits
    ? `must be harder to guess. ${wayOut}`
    : null
