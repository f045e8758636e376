/** One-time recovery codes: 80 random bits as four groups of unambiguous letters and digits. */

/** Crockford's base32, without i, l, o and u. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** The number of codes per person. (Specification: Dashboard-only endpoints.) */
export const recoveryCodeCount = 10

/** The random bytes per code. Each gives one character without bias, because 256 is a multiple of 32. */
export const recoveryCodeBytes = 16

export const recoveryCodeOf = (bytes: Uint8Array): string => {
  const characters = Array.from(bytes.subarray(0, recoveryCodeBytes), (byte) => alphabet[byte % alphabet.length])
  return [0, 4, 8, 12].map((start) => characters.slice(start, start + 4).join("")).join("-")
}

/** Normalizes a typed code to the form that is hashed; null if it cannot be a code. */
export const canonicalRecoveryCode = (typed: string): string | null => {
  const text = typed.toLowerCase().replace(/[\s-]+/g, "").replaceAll("o", "0").replace(/[il]/g, "1")
  return /^[0-9a-hjkmnp-tv-z]{16}$/.test(text) ? text : null
}
