/** The origin of the page that sent a request: decided once, where the request arrives, and the same for all who ask. */
import { Headers, type HttpServerRequest } from "@effect/platform"
import { Context } from "effect"

type Request = HttpServerRequest.HttpServerRequest

/** Host names of this service beside that of its public address: `name`, `*.name`, or `*` for any; none by default. */
export class AllowedHosts extends Context.Reference<AllowedHosts>()("belltower/AllowedHosts", {
  defaultValue: (): ReadonlyArray<string> => []
}) {}

const header = "sec-fetch-site"

const siteOf = (site: string | undefined, isOwn: boolean): string =>
  isOwn && (site === undefined || site === "same-origin") ? "same-origin" : "cross-site"

/**
 * Puts the verdict into `Sec-Fetch-Site`, which browsers fill in by the Host alone: a page under another name that leads here has
 * the same Host and origin. Programs send neither that header nor Origin, and stay without. Only writes need the verdict.
 *
 * @param isOwnOrigin whether an origin is this service's
 * @param isOwnHost whether the request was sent to a host of this service
 */
export const withVerdict = (request: Request, isOwnOrigin: (origin: string) => boolean, isOwnHost: () => boolean): Request => {
  const { headers, method } = request
  const { [header]: site, origin } = headers
  if (method === "GET" || method === "HEAD" || (origin === undefined && (site === undefined || site === "none"))) return request
  const verdict = siteOf(site, origin === undefined ? isOwnHost() : isOwnOrigin(origin))
  return verdict === site ? request : request.modify({ headers: Headers.set(headers, header, verdict) })
}

/** Whether a page of this service sent the request; false without `Sec-Fetch-Site` or `Origin`, which browsers send with writes. */
export const isSameOrigin = ({ headers }: Request): boolean => headers[header] === "same-origin"

/** Whether a page of another site sent the request. */
export const isForeign = ({ headers }: Request): boolean => headers[header] === "cross-site"
