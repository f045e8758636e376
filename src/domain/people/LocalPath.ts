/** Where a browser may be sent after signing in: to a page of this service and nowhere else. */

/** The page that people reach after signing in, unless they were on the way to another one. */
export const home = "/app"

const longest = 500
const here = "https://here.invalid"

/**
 * The path with its query, when it leads to a page of this service however a browser reads it; null otherwise. Browsers take
 * `//host`, `/\host` and control characters within for more than a path.
 */
export const localPath = (given: string | null | undefined): string | null => {
  if (given === null || given === undefined || given.length > longest) return null
  if (!/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(given) || !URL.canParse(given, here)) return null
  const { hash, origin, pathname, search } = new URL(given, here)
  // `/./` and `/../` may leave two slashes at the front.
  return origin === here && !pathname.startsWith("//") ? `${pathname}${search}${hash}` : null
}
