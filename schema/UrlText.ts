/** Reads URLs. */
import { Either } from "effect"

/**
 * The URL that a text is, resolved against `base` if it is relative; null for anything else.
 *
 * `URL.canParse` is not used: in Node 20, once it was called a few thousand times, it says false for addresses with letters such as "ü".
 */
export const parsedUrl = (text: string, base?: string | URL): URL | null =>
  Either.getOrNull(Either.try(() => new URL(text, base)))

/** The same for an http or https URL. */
export const webUrl = (text: string, base?: string | URL): URL | null => {
  const url = parsedUrl(text, base)
  return url !== null && /^https?:$/.test(url.protocol) ? url : null
}
