/** The cookies of one redirect chain (RFC 6265), so that login and consent redirects end as they do in a browser. */

interface Cookie {
  readonly name: string
  readonly value: string
  /** Lower case, without a leading dot. */
  readonly domain: string
  /** Sent to this very host only. */
  readonly hostOnly: boolean
  readonly path: string
  readonly secure: boolean
}

export type CookieJar = ReadonlyArray<Cookie>

export const emptyJar: CookieJar = []

/** Beyond these, cookies are dropped: a chain has at most eleven answers. */
const mostCookies = 50
const longestCookie = 4096

/** RFC 6265, section 5.1.3. A domain without a dot inside is a top-level domain, which no host may speak for. */
const domainMatches = (host: string, domain: string): boolean =>
  host === domain || (host.endsWith(`.${domain}`) && domain.includes(".") && !/^[\d.]+$/.test(host))

/** RFC 6265, section 5.1.4. */
const defaultPath = ({ pathname }: URL): string => pathname.slice(0, Math.max(1, pathname.lastIndexOf("/")))

const pathMatches = (path: string, prefix: string): boolean =>
  path === prefix || (path.startsWith(prefix) && (prefix.endsWith("/") || path[prefix.length] === "/"))

/** The attributes of a Set-Cookie header by lower-case name. */
const attributesOf = (parts: ReadonlyArray<string>): ReadonlyMap<string, string> =>
  new Map(parts.map((part) => {
    const at = part.indexOf("=")
    return at === -1
      ? [part.trim().toLowerCase(), ""] as const
      : [part.slice(0, at).trim().toLowerCase(), part.slice(at + 1).trim()] as const
  }))

const isExpired = (attributes: ReadonlyMap<string, string>, now: number): boolean => {
  const age = attributes.get("max-age")
  if (age !== undefined && /^-?\d+$/.test(age)) return Number(age) <= 0
  const expires = Date.parse(attributes.get("expires") ?? "")
  return !Number.isNaN(expires) && expires <= now
}

/** The cookie of a Set-Cookie header, with false if it only deletes one; null if the header is to be ignored. */
const parse = (from: URL, header: string, now: number): readonly [Cookie, boolean] | null => {
  const [pair = "", ...rest] = header.slice(0, longestCookie + 1).split(";")
  const at = pair.indexOf("=")
  const name = pair.slice(0, Math.max(at, 0)).trim()
  if (at < 1 || name === "" || header.length > longestCookie || /[\x00-\x1f\x7f]/.test(pair)) return null
  const attributes = attributesOf(rest)
  const host = from.hostname.toLowerCase()
  const given = (attributes.get("domain") ?? "").replace(/^\./, "").toLowerCase()
  if (given !== "" && !domainMatches(host, given)) return null
  const path = attributes.get("path") ?? ""
  const cookie = {
    name,
    value: pair.slice(at + 1).trim(),
    domain: given === "" ? host : given,
    hostOnly: given === "",
    path: path.startsWith("/") ? path : defaultPath(from),
    secure: attributes.has("secure")
  }
  return [cookie, !isExpired(attributes, now)]
}

const isSame = (one: Cookie, other: Cookie): boolean =>
  one.name === other.name && one.domain === other.domain && one.path === other.path

/** The jar after an answer from `from` with these Set-Cookie headers. `now` in ms since 1970. */
export const keepCookies = (jar: CookieJar, from: URL, headers: ReadonlyArray<string>, now: number): CookieJar => {
  let kept = jar
  for (const header of headers.slice(0, mostCookies)) {
    const parsed = parse(from, header, now)
    if (parsed === null) continue
    const [cookie, isAlive] = parsed
    const others = kept.filter((other) => !isSame(cookie, other))
    kept = isAlive ? [...others, cookie].slice(-mostCookies) : others
  }
  return kept
}

/** The Cookie header for a request, after the monitor's own; null if there is none. The jar's cookie replaces an own one of its name. */
export const cookiesFor = (jar: CookieJar, to: URL, own: string | undefined): string | null => {
  const host = to.hostname.toLowerCase()
  const sent = jar.filter((cookie) =>
    (cookie.hostOnly ? host === cookie.domain : domainMatches(host, cookie.domain)) &&
    pathMatches(to.pathname, cookie.path) && (!cookie.secure || to.protocol === "https:")
  )
  const names = new Set(sent.map(({ name }) => name))
  const kept = (own ?? "").split(";").map((pair) => pair.trim()).filter((pair) =>
    pair !== "" && !names.has(pair.split("=")[0]?.trim() ?? "")
  )
  const all = [...kept, ...sent.map(({ name, value }) => `${name}=${value}`)]
  return all.length === 0 ? null : all.join("; ")
}
