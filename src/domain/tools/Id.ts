/** Creates ids: a prefix and a UUIDv7 (RFC 9562) in 26 lowercase Crockford base32 characters. */
import { withoutTrailing } from "./text/TrimText.ts"

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

const codeOf = Uint8Array.from(alphabet, (char) => char.charCodeAt(0))

/** The bytes and the characters of the id that is being made: every check makes one. */
const made = new Uint8Array(16)
const codes = new Array<number>(26).fill(0)

/** 16 bytes as 26 characters, most significant first: text order equals numeric order. */
const encode = (bytes: Uint8Array): string => {
  let length = 0
  // 26 characters hold 130 bits: the first two are zero.
  let bits = 2
  let held = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    for (bits += 8; bits >= 5;) codes[length++] = codeOf[(held >> (bits -= 5)) & 31] ?? 0
    held &= 31
  }
  return String.fromCharCode(...codes)
}

const values = new Map([...alphabet].map((char, value) => [char, value]))

const decode = (text: string): Uint8Array => {
  const bytes = new Uint8Array(16)
  let bits = -2
  let held = 0
  let length = 0
  for (const char of text) {
    held = (held << 5) | (values.get(char) ?? 0)
    bits += 5
    if (bits >= 8) bytes[length++] = (held >> (bits -= 8)) & 255
    held &= 255
  }
  return bytes
}

/** A UUIDv7 from `now` (ms since 1970) and 10 random bytes. Avoids bigints: they cost 1 µs, and every check creates an id. */
const uuidV7 = (now: number, random: Uint8Array): Uint8Array => {
  for (let i = 5, rest = now; i >= 0; i--, rest = Math.floor(rest / 256)) made[i] = rest % 256
  for (let i = 0; i < 10; i++) made[i + 6] = random[i] ?? 0
  made[6] = 0x70 | ((made[6] ?? 0) & 0x0f)
  made[8] = 0x80 | ((made[8] ?? 0) & 0x3f)
  return made
}

/** `<prefix>_<26 characters>`. */
export const makeId = (prefix: string, now: number, random: Uint8Array): string => `${prefix}_${encode(uuidV7(now, random))}`

const isBody = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** The 16 bytes of an id; null if the text is not an id of this form. */
export const idBytes = (id: string): Uint8Array | null => {
  const body = id.slice(id.indexOf("_") + 1)
  return isBody.test(body) ? decode(body) : null
}

/** The id with these 16 bytes. */
export const idOf = (prefix: string, bytes: Uint8Array): string => `${prefix}_${encode(bytes)}`

/** The UUID that an id is, as others write it; null if the text is not an id of this form. */
export const uuidOf = (id: string): string | null => {
  const bytes = idBytes(id)
  return bytes === null ? null : Buffer.from(bytes).toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
}

/** The time in the first bytes of an id, ms since 1970. */
export const timeOfBytes = (bytes: Uint8Array): number => bytes.subarray(0, 6).reduce((time, byte) => time * 256 + byte, 0)

/** When an id was created (ms since 1970); null if the text is not an id of this form. Its first ten characters are the time. */
export const idTime = (id: string): number | null => {
  const start = id.indexOf("_") + 1
  if (!isBody.test(id.slice(start))) return null
  let time = 0
  for (let at = start; at < start + 10; at++) time = time * 32 + (values.get(id.charAt(at)) ?? 0)
  return time
}

/** The next body in text order. It cannot overflow: the timestamp comes first and never reaches its maximum. */
const successor = (text: string): string => {
  const body = withoutTrailing(text, "z")
  const last = alphabet.charAt(alphabet.indexOf(body.slice(-1)) + 1)
  return (body.slice(0, -1) + last).padEnd(text.length, "0")
}

/** An id for `now`, or the successor of `last` if the clock has not passed it. The ids strictly increase. */
export const makeIdAfter = (last: string | null, prefix: string, now: number, random: Uint8Array): string => {
  const fresh = makeId(prefix, now, random)
  return last === null || fresh > last ? fresh : `${prefix}_${successor(last.slice(prefix.length + 1))}`
}
