/** Restricts the redirect after sign-in to pages of this service. */
import { parsedUrl } from "../../../schema/UrlText.ts"

/** The page after sign-in, unless the person requested another one. */
export const home = "/app"

const maxLength = 500
const here = "https://here.invalid"

/** The path with its query, if every browser resolves it to this service, unlike `//host` and `/\host`; null otherwise. */
export const localPath = (given: string | null | undefined): string | null => {
  if (given === null || given === undefined || given.length > maxLength) return null
  if (!/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(given)) return null
  const url = parsedUrl(given, here)
  if (url === null) return null
  const { hash, origin, pathname, search } = url
  // After `/./` and `/../` are resolved, the path may start with two slashes.
  return origin === here && !pathname.startsWith("//") ? `${pathname}${search}${hash}` : null
}
