/** Reads URLs. */

/**
 * The URL that a text is, resolved against `base` if it is relative; null for anything else.
 *
 * `URL.canParse` is not used: up to Node 22, once it was called a few thousand times, it says false for addresses with letters such as "ü".
 */
export const parsedUrl = (text: string, base?: string | URL): URL | null => URL.parse(text, base)

/** The same for an http or https URL. */
export const webUrl = (text: string, base?: string | URL): URL | null => {
  const url = parsedUrl(text, base)
  return url !== null && /^https?:$/.test(url.protocol) ? url : null
}
