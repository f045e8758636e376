/** Keeps credentials out of what is stored: the values a request carried, and the cookies an answer sets. */
import { mask } from "../../../../schema/Mask.ts"
import { textMask } from "./TextMask.ts"

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

/** Whether a request header (lower case) may hold a credential. */
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
