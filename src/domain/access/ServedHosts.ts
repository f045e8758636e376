/** Which hosts and origins are this service's: those of its public address, and those that the operator added (BELLTOWER_ALLOWED_HOSTS). */
import ipaddr from "ipaddr.js"
import { parsedUrl } from "../../../schema/UrlText.ts"

/** The name in the authority of a URL, such as a Host header, in lower case; null if it is none. */
export const hostNameOf = (authority: string): string | null =>
  parsedUrl(`http://${authority}`)?.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "") ?? null

const isLocal = (name: string) => name === "localhost" || name.endsWith(".localhost")

const matches = (allowed: string, name: string) => allowed.startsWith("*.") ? name.endsWith(allowed.slice(1)) : name === allowed

interface ServedHosts {
  /** Whether the host of an authority is this service's. An IP address and a local name cannot be pointed here by a stranger. */
  readonly serves: (authority: string | undefined) => boolean
  /** Whether an origin is this service's. `host` is the authority that the request was sent to. */
  readonly isOwnOrigin: (origin: string, host: string | undefined) => boolean
}

/** Whether an origin, as browsers send it, has the host that the request was sent to. */
export const isOfHost = (origin: string, host: string | undefined): boolean =>
  host !== undefined && parsedUrl(origin)?.host === host.toLowerCase()

/** `allowedHosts` are names, `*.name` or `*`; the host of `baseUrl` is always served. */
export const makeServedHosts = (baseUrl: string, allowedHosts: ReadonlyArray<string>): ServedHosts => {
  const own = new URL(baseUrl)
  const names = [own.hostname, ...allowedHosts.map((name) => name.toLowerCase())]
  const serves = (authority: string | undefined) => {
    const name = hostNameOf(authority ?? "")
    return name !== null &&
      (names.includes("*") || ipaddr.isValid(name) || isLocal(name) || names.some((allowed) => matches(allowed, name)))
  }
  /** An attacker on the network can answer for the same name without TLS. */
  const isWithoutTls = (origin: string) =>
    own.protocol === "https:" && new URL(origin).hostname === own.hostname && !origin.startsWith("https:")
  return {
    serves,
    isOwnOrigin: (origin, host) => origin === own.origin || (isOfHost(origin, host) && serves(host) && !isWithoutTls(origin))
  }
}
