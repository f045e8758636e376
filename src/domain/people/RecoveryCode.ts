/** One-time recovery codes: 80 random bits as four groups of letters and digits that are hard to misread. */

/** Crockford's base32: without i, l, o and u. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** How many a person gets. (Specification: Dashboard-only endpoints.) */
export const recoveryCodeCount = 10

/** Random bytes of one code; each gives a character, as 256 is a multiple of 32. */
export const recoveryCodeBytes = 16

export const recoveryCodeOf = (bytes: Uint8Array): string => {
  const characters = Array.from(bytes.subarray(0, recoveryCodeBytes), (byte) => alphabet[byte % alphabet.length])
  return [0, 4, 8, 12].map((start) => characters.slice(start, start + 4).join("")).join("-")
}

/** A code however it was typed, in the one form that is hashed; null for what can be none. */
export const canonicalRecoveryCode = (typed: string): string | null => {
  const text = typed.toLowerCase().replace(/[\s-]+/g, "").replaceAll("o", "0").replace(/[il]/g, "1")
  return /^[0-9a-hjkmnp-tv-z]{16}$/.test(text) ? text : null
}
