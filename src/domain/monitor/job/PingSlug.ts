/** The addresses of pings by name: a workspace's ping key, then the slug of a heartbeat's name. */

/** Unlike the tokens of heartbeats, which have 24 characters: the same addresses take both. 131 bits. */
export const pingKeyLength = 22

export const isPingKeyShaped = (text: string): boolean => text.length === pingKeyLength && /^[0-9A-Za-z]+$/.test(text)

/** Characters of a name. */
const longest = 120

/** In lower case, with dashes for all but letters and digits. The same as the expression of the index `heartbeat_slugs`. */
export const pingSlug = (name: string): string =>
  name.slice(0, longest).toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")
