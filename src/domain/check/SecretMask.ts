/** Keeps credentials out of what is stored: the values a request carried, and the cookies an answer sets. */

const mask = "[hidden]"

/** Masking shorter values would protect little and would garble ordinary words. */
const shortestSecret = 6

/** `text` without any of the secrets, such as an echoed Authorization header. */
export const maskSecrets = (secrets: ReadonlyArray<string>, text: string): string =>
  secrets.reduce((masked, secret) => (secret.length < shortestSecret ? masked : masked.replaceAll(secret, mask)), text)

/** A Set-Cookie value with its name and attributes, but not its content. */
export const maskCookie = (cookie: string): string => cookie.replace(/^([^=;]*)=[^;]*/, `$1=${mask}`)

/** The headers whose values name a client or a format, not a person: no secrets, and kept across origins. */
const plain = new Set(["user-agent", "accept", "accept-language", "accept-encoding", "content-type", "cache-control", "pragma"])

/** Whether a request header (lower case) may hold a credential. */
export const isCredential = (header: string): boolean => !plain.has(header)

/** Every text that must not be kept of a request: its credential headers, also without their scheme (`Bearer x`). */
export const secretsOf = (headers: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(headers)
    .filter(([name]) => isCredential(name.toLowerCase()) && name.toLowerCase() !== "host")
    .flatMap(([, value]) => [value, ...value.split(/\s+/).slice(1)])
    .sort((a, b) => b.length - a.length)
