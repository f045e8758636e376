/** Makes ids: a prefix and a UUIDv7 (RFC 9562) in 26 lowercase Crockford base32 characters. */

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** 128 bits as 26 characters, most significant first, so that text order is numeric order. */
const encode = (value: bigint): string => {
  let text = ""
  for (let rest = value, i = 0; i < 26; i++, rest >>= 5n) text = alphabet[Number(rest & 31n)] + text
  return text
}

const decode = (text: string): bigint => {
  let value = 0n
  for (const char of text) value = (value << 5n) | BigInt(alphabet.indexOf(char))
  return value
}

/** A UUIDv7 of `now` (ms since 1970) and 10 random bytes. */
const uuidV7 = (now: number, random: Uint8Array): bigint => {
  let tail = 0n
  for (let i = 0; i < 10; i++) tail = (tail << 8n) | BigInt(random[i] ?? 0)
  const randA = (tail >> 62n) & 0xfffn
  const randB = tail & 0x3fffffffffffffffn
  return (BigInt(now) << 80n) | (7n << 76n) | (randA << 64n) | (2n << 62n) | randB
}

/** `<prefix>_<26 characters>`. */
export const makeId = (prefix: string, now: number, random: Uint8Array): string =>
  `${prefix}_${encode(uuidV7(now, random))}`

/** The instant (ms since 1970) an id was made at, or null where it is no such id. */
export const idTime = (id: string): number | null => {
  const body = id.slice(id.indexOf("_") + 1)
  return /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(body) ? Number(decode(body) >> 80n) : null
}

/** An id of `now`, or the smallest one after `last` when the clock has not moved past it: strictly increasing. */
export const makeIdAfter = (last: string | null, prefix: string, now: number, random: Uint8Array): string => {
  const fresh = makeId(prefix, now, random)
  return last === null || fresh > last ? fresh : `${prefix}_${encode(decode(last.slice(prefix.length + 1)) + 1n)}`
}
