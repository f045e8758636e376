/** Reads URLs. */
import { Either } from "effect"

type Parse = (text: string, base?: string | URL) => URL | null

/** Node 20, which has no `URL.parse`, is no longer supported, but runs. */
const parse: Parse = "parse" in URL
  ? (text, base) => URL.parse(text, base)
  : (text, base) => Either.getOrNull(Either.try(() => new URL(text, base)))

/**
 * The URL that a text is, resolved against `base` if it is relative; null for anything else.
 *
 * `URL.canParse` is not used: up to Node 22, once it was called a few thousand times, it says false for addresses with letters such as "ü".
 */
export const parsedUrl: Parse = (text, base) => parse(text, base)

/** The same for an http or https URL. */
export const webUrl = (text: string, base?: string | URL): URL | null => {
  const url = parsedUrl(text, base)
  return url !== null && /^https?:$/.test(url.protocol) ? url : null
}
