/** The request that follows a redirect, as browsers build it (Fetch standard, HTTP-redirect fetch). */
import { Either } from "effect"
import type { HttpMethod } from "../../../../schema/monitor/kinds/http.ts"
import { parsedUrl } from "../../../../schema/UrlText.ts"
import { isCredential } from "./SecretMask.ts"

/** One request of a redirect chain. */
export interface Hop {
  readonly url: URL
  readonly method: HttpMethod
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

const redirects = new Set([301, 302, 303, 307, 308])

export const isRedirect = (status: number): boolean => redirects.has(status)

/** The shortest tail of a chain of URLs that begins and ends with its last URL; null if that was visited once. */
export const loopOf = (urls: ReadonlyArray<string>): ReadonlyArray<string> | null => {
  const start = urls.slice(0, -1).lastIndexOf(urls.at(-1) ?? "")
  return start === -1 ? null : urls.slice(start)
}

const turnsToGet = (status: number, method: HttpMethod): boolean =>
  (status === 303 && method !== "HEAD") || ((status === 301 || status === 302) && method === "POST")

/** Same scheme, host and port, or an upgrade of the same host from http to https on the default ports. */
export const isSameParty = (from: URL, to: URL): boolean =>
  from.origin === to.origin ||
  (from.hostname === to.hostname && from.protocol === "http:" && to.protocol === "https:" && from.port === "" && to.port === "")

const only = (headers: Hop["headers"], keep: (name: string) => boolean): Hop["headers"] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => keep(name)))

/** The next request; the left side says why there is none. Credentials never go to another party. */
export const nextHop = (hop: Hop, status: number, location: string): Either.Either<Hop, string> => {
  const url = parsedUrl(location, hop.url)
  if (url === null) {
    return Either.left(`Redirected to "${location.slice(0, 200)}", which is not a valid URL`)
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return Either.left(`Redirected to ${url.protocol.slice(0, 20)}, but only http: and https: are followed`)
  }
  url.username = ""
  url.password = ""
  const kept = isSameParty(hop.url, url) ? hop.headers : only(hop.headers, (name) => !isCredential(name))
  return Either.right(
    turnsToGet(status, hop.method)
      ? { url, method: "GET", headers: only(kept, (name) => !name.startsWith("content-")), body: null }
      : { url, method: hop.method, headers: kept, body: hop.body }
  )
}
